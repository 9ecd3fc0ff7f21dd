factor-differ = { $a } 대 { $b }: { $factor } 다름
factor-effect = { $x } 대 { $y }: { $effect }
factor-count = 노드 { $nodes }개 x { $each } = { $total }
factor-no-mirror = 네트워크를 통한 쓰기 미러링 없음: 운영 환경의 설정이 아니며, 모든 베드를 실제보다 좋아 보이게 하고 네트워크 비용을 감춤
factor-no-replica = { $name }: 복제본 없음 (FTT=0)
factor-processor = 프로세서
    .effect = 같은 작업에 드는 프로세서 시간이 다름
factor-nodes = 노드
    .effect = 호스트, 링크, 디스크 그룹이 더 많음
factor-drives = 드라이브 수
    .effect = 더 많은 드라이브가 부하를 처리함
factor-drive = 드라이브와 그 용량
    .effect = 테스트 대상 드라이브와 그 크기
factor-storage-network = 스토리지 네트워크
    .effect = 호스트 간 대역폭과 지연 시간
factor-memory = 메모리
    .effect = 트랜잭션의 프로세서 비용과 캐시된 데이터의 비율
factor-storage-path = 스토리지 경로
    .effect = 컨트롤러 큐와 지연 시간은 한쪽에만 속함
factor-server = 서버
    .effect = 다른 시스템임
factor-software = 소프트웨어
    .effect = 다른 버전은 다르게 동작함
factor-none = 없음
