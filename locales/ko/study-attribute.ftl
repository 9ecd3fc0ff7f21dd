factor-driver = 부하 생성기의 위치
factor-rest = 나머지 (호스트, 스토리지 스택, 컨트롤러, 대기)
factor-of-drive = 드라이브
factor-of-processor = 프로세서
factor-of-network = 네트워크
factor-of-memory = 메모리
