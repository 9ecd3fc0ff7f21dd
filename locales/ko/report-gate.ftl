gate-reason = { $place }: 기준선의 { $value } ({ $interval }, 셀 { $above } + { $below }개), { $verdict }; { $settles }
gate-place = { $bed }의 { $workload } { $metric } ({ $at })
gate-hint = 현재까지 { $verdict }: 참고일 뿐 확정된 결과가 아님
gate-smallest-effect = 최소 효과는 { $smallest }
gate-more-repeats = 각 실행에서 반복이 약 { $repeats }회이면 판정 가능 (--set design.repeats={ $repeats })
gate-no-repeats-settle = 반복을 500회 더 해도 판정 불가: 잡음에 비해 차이가 최소 효과에 너무 가까움
gate-no-metric = 두 실행 모두에서 측정된 선언된 지표가 없음
gate-not-judged = { $place } 판정 불가: { $reason }
gate-not-counted = 실행의 셀 { $cells }개가 집계되지 않아 그 결과가 없음; 첫 번째: { $first }

gate-passed = { $verdict }: { $run }의 결과는 { $baseline }보다 나쁘지 않습니다
gate-failed = { $verdict }: { $run }의 결과는 { $baseline }보다 나쁩니다
gate-open = { $verdict }: { $run }의 결과가 { $baseline }보다 나쁘다는 것도, 같거나 더 좋다는 것도 입증되지 않았습니다
gate-open-passes = { $verdict }, 통과로 처리: { $run }의 결과가 { $baseline }보다 나쁘다는 것도, 같거나 더 좋다는 것도 입증되지 않았습니다
gate-refused = 비교하지 않음: { $run } 대 { $baseline }
gate-exit-code = 종료 코드 { $exit_code }
gate-counts = 선언된 결과 { $checked }건 확인: 열세 { $worse }, 동등 { $equal }, 우세 { $better }, 미결 { $undecided }.
gate-columns = 결과 | 비율, 구간 및 최소 효과
gate-more = 그 밖에 { $left }건: `drivetrain check --full`
