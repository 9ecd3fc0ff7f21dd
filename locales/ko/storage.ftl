### 베드의 스토리지: 데이터와 로그의 드라이브.

storage-emulated = { $drive } (에뮬레이션)
storage-simulated = { $bed } (시뮬레이션)
storage-real = 실제 스토리지
storage-of-server = { $url } 서버가 사용하는 스토리지
storage-of-data = 데이터의 드라이브
storage-not-stated = 스토리지가 명시되지 않음
storage-with-log = { $data }, 로그 위치: { $log }
