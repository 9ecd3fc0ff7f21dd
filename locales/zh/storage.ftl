### 平台的存储：数据与日志所在的硬盘。

storage-emulated = { $drive }（仿真）
storage-simulated = { $bed }（模拟）
storage-real = 真实存储
storage-of-server = { $url } 所在的存储
storage-of-data = 数据所在的硬盘
storage-not-stated = 未说明存储
storage-with-log = { $data }，日志位于 { $log }
