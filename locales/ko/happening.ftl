happening-told = { $text }
happening-why = { $why }
happening-unmeasurable = { $metric }: 가능한 값이 없음 ({ $value })
happening-reset = { $method }, { $reset_s } s
happening-not-reset = 초기화 안 함: 기존 서버는 이전 셀의 데이터를 유지함
happening-trace = { $path }에 I/O { $ios }건, { $left_out }건 제외

happening-host-client = 랭크 { $rank }({ $host })는 부하 생성기가 한계였음: 스토리지는 더 처리할 수 있었음
happening-host-slow = 랭크 { $rank }({ $host })의 처리량은 호스트 평균의 { $share_percent } %
happening-host-late = 랭크 { $rank }({ $host })는 합의한 시각보다 { $late_ms } ms 늦게 시작함

happening-standstill = 요청이 대기하는 동안 측정 단계 { $from_s } s부터 { $length_s } s 동안 응답된 요청이 없음
happening-standstills = 요청이 대기하는 동안 측정 단계 { $from_s } s부터 { $length_s } s 동안 응답된 요청이 없음 (모두 { $times }회, 합계 { $together_s } s)
happening-requests-unfinished = 배출 제한 시간(측정 단계 종료 후 { $drain_s } s)까지 요청 { $requests }건이 완료되지 않음; 그 지연 시간은 하한값임
happening-connections-lost = 처리 중에 요청 { $requests }건의 연결이 끊김: 커밋되었는지 알 수 없음; 그 지연 시간은 하한값임
happening-input-outside = { $name } 값 { $value } { $unit }, 범위 { $low }~{ $high } 밖
happening-tpm-differs = TPM이 서버 카운터로는 { $server }, 클라이언트 카운터로는 { $client }임: 서버는 우리 세션과 다른 세션의 모든 커밋과 롤백을 세고 최대 1초 늦게 알리며, MariaDB는 스스로 커밋하는 단일 문장을 제외함
happening-nopm-differs = NOPM이 서버 카운터로는 { $server }, 클라이언트 카운터로는 { $client }임: D_NEXT_O_ID의 합에는 롤백된 주문이 없으며, 트랜잭션이 진행되는 동안 읽힘
happening-load-ended = 부하 종료: { $error }
happening-layout = { $file_system }: 복사 직후 조각 { $as_copied }개, 레이아웃 후 { $as_laid_out }개 (익스텐트 { $extents }개, 각 { $piece_kib } KiB)
file-system-named = { $name }
file-system-unknown = 파일 시스템을 알 수 없음
happening-plan-of-scan = 스캔: { $plan }
happening-plan-of-lookup = 조회: { $plan }

happening-arm-alone = 피해자 { $victims }개 각각 단독
happening-arm-together = 피해자 { $victims }개 함께
happening-arm-with-neighbour = { $neighbours } x { $neighbour } 이웃이 있는 피해자 { $victims }개
happening-arm-mitigated = { $neighbours } x { $neighbour } 이웃이 있는 피해자 { $victims }개, { $mitigation }(으)로 완화
happening-arm-neighbour-alone = 피해자 없이 { $neighbours } x { $neighbour }

happening-cycle = 사이클 { $number }: { $database_mb } MB 백업 { $backup_s } s (파일 { $files }개, { $files_mb } MB, { $tool }); 모든 파일의 체크섬 일치; 복원 { $restore_s } s (파일 { $copied_s } s, 시작 { $start_s } s); { $proof }
proof-tables = { $conditions }; 테이블 { $tables }개의 { $rows }행 체크섬 계산; 검증 { $took_s } s
proof-tables-and-orders = { $conditions }; 테이블 { $tables }개의 { $rows }행 체크섬 계산; 확인된 주문 { $all }건 중 { $there }건 존재; 검증 { $took_s } s
conditions-hold = 모든 일관성 조건이 성립함
conditions-violated = 일관성 조건 { $count }개 위반
happening-cycle-simulated = 사이클 { $number }: { $backup_mb } MB 백업 { $backup_s } s; 복원 { $restore_s } s
happening-drill-caught = { $file } 파일의 바이트 { $byte }, 비트 { $bit } 반전이 발견됨: { $error }

happening-purge-modelled = 모델 드라이브는 각 셀을 안정 상태에서 시작함: 소거할 것이 없었음
happening-purge-discarded = 장치의 모든 블록이 폐기됨
happening-purge-given-back = 파일의 블록을 파일 시스템에 반환함. 파일 시스템은 `discard` 옵션으로 마운트된 경우에만 이를 드라이브에 전달함; 파일 밖의 블록은 내용을 유지함
happening-purge-new-file = 새 파일이며 전체를 기록함; 드라이브는 소거되지 않음. 소거에는 원시 장치가 필요함: 파일 밖의 블록은 내용을 유지함
happening-search-deepest = { $percentile } { $latency } 이내인 최고 부하: { $point }
happening-search-none = { $percentile } { $latency } 이내인 부하 없음, 시도한 가장 작은 부하도 해당 안 됨
happening-settled = { $most_s } s 중 { $measured_s } s 후 종료: 속도가 떨어진 뒤 일정하게 유지됨

happening-steady-attained = 라운드 { $rounds }회 후 안정 상태 도달 ({ $end })
happening-steady-attained-window = 라운드 { $rounds }회 후 안정 상태 도달 ({ $end }), 측정 창은 라운드 { $first }~{ $last }
happening-steady-missed = 라운드 { $rounds }회 후 안정 상태 미도달 ({ $end })
happening-steady-missed-window = 라운드 { $rounds }회 후 안정 상태 미도달 ({ $end }), 측정 창은 라운드 { $first }~{ $last }
rounds-steady = 안정
rounds-enough-written = 충분히 기록됨
rounds-no-more = 라운드가 더 허용되지 않음
happening-steady-few-rounds = { $figure }: 라운드 { $rounds }회는 측정 창보다 적음
happening-steady-figure = { $figure }: 평균 { $average } { $unit }; 변동 폭 { $excursion } (허용 { $excursion_allowed }); 기울기 { $slope } (허용 { $slope_allowed }); 적합 { $fit } x R + { $base }
steady-iops = IOPS
steady-bandwidth = 대역폭
steady-mean-latency = 평균 지연 시간
tracked-at = { $figure } ({ $points })
tracked-reads = 읽기 { $read }

happening-simulated-until-narrow = 각 부하는 속도의 95 % 신뢰 구간이 1 % 이내가 될 때까지 또는 요청된 시간 전체 동안 가상 시간에서 실행됨
happening-simulated-steady = 모델 드라이브는 안정 상태에서 시작함: 먼저 채우지 않았으며 한 라운드가 전체의 결과가 됨
happening-simulated-patterns = 모델 드라이브는 모든 오프셋의 임의 요청에 똑같이 응답함: 모든 임의 패턴은 균일한 것으로 간주됨
happening-simulated-copies = 모델은 가상 시간에서 모든 복사본의 모든 바이트를 전송함; 쓴 것이 없으므로 검증된 복원도 반전된 비트도 없음
happening-simulated-for = 가상 시간 { $virtual_s } s가 { $whole_s } s를 대표함: 처리량의 95 % 신뢰 구간의 반너비는 { $precision_percent } %임
happening-simulated-slow-for = 가상 시간 { $virtual_s } s가 { $whole_s } s를 대표함; 그 안에서 느린 상태 변화는 { $haste }배 빠르게 진행되므로 백업의 시작과 끝, 그 영향이 전체 시간에서와 같은 횟수로 나타남
