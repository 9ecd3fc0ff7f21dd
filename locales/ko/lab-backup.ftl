proof-conditions-hold = 모든 일관성 조건이 성립함
proof-conditions-violated = 일관성 조건 { $many }개 위반
drill-caught = { $file } 파일의 바이트 { $byte }, 비트 { $bit } 반전이 발견됨: { $error }
cycle-told = 사이클 { $number }: { $database_mb } MB 백업 { $backup_s } s (파일 { $files }개, { $files_mb } MB, { $tool }); 모든 파일의 체크섬 일치; 복원 { $restore_s } s (파일 { $copied_s } s, 시작 { $start_s } s); { $proof }
backup-simulated = 모델은 가상 시간에서 모든 복사본의 모든 바이트를 전송함; 쓴 것이 없으므로 검증된 복원도 반전된 비트도 없음
cycle-simulated = 사이클 { $number }: { $backup_mb } MB 백업 { $backup_s } s; 복원 { $restore_s } s
proof-told = { $conditions }; 테이블 { $tables }개의 { $rows }행 체크섬 계산; 검증 { $took_s } s
proof-told-orders = { $conditions }; 테이블 { $tables }개의 { $rows }행 체크섬 계산; 확인된 주문 { $all }건 중 { $there }건 존재; 검증 { $took_s } s
