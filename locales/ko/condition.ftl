condition-rows = 행 수가 로드된 수와 같음
condition-ids = id가 1부터 행 수까지임
condition-k = 모든 k가 1 이상임
condition-texts = 모든 텍스트가 정해진 패턴을 따름
condition-index = k의 인덱스가 테이블과 일치함
