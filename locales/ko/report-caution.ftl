caution-not-run = 계획된 셀 중 { $open }개가 실행되지 않았습니다.
caution-running = 실행이 완료되지 않았습니다: 셀 { $all }개 중 { $done }개가 기록되었습니다.
caution-interrupted = 셀 { $all }개 중 { $done }개 후에 실행이 중단되었습니다; `drivetrain resume { $run }` 명령으로 완료할 수 있습니다.
caution-killed = 셀 { $all }개 중 { $done }개 후에 실행이 강제 종료되었습니다; `drivetrain resume { $run }` 명령으로 완료할 수 있습니다.
caution-failed = 셀 { $all }개 중 { $done }개 후에 실행이 실패했습니다; 원인을 해결한 뒤 `drivetrain resume { $run }` 명령으로 계속할 수 있습니다.
caution-failed-why = 셀 { $all }개 중 { $done }개 후에 실행이 실패했습니다: { $why }; 원인을 해결한 뒤 `drivetrain resume { $run }` 명령으로 계속할 수 있습니다.
caution-stopped = 부하가 끝나기 전에 중지되었습니다: 수치는 실행된 부분의 것입니다.
caution-not-whole = 이 부하가 측정한 결과 중 일부가 보존되지 않았습니다.
caution-order = 순서가 임의화되지 않았습니다: 각 베드가 한 묶음으로 실행되었으므로 시스템의 점진적 변화가 베드 간의 차이로 보일 수 있습니다.
caution-drift =
    모든 베드에서 똑같이 첫 반복부터 마지막 반복까지 { $metric } 값이 { $by } { $direction ->
        [up] 상승했으며
       *[down] 하락했으며
    }, { $order ->
        [sequential] 셀의 순서로는 이 변화가 상쇄되지 않습니다
       *[other] 교차 배치된 쌍이 그 대부분을 상쇄합니다
    }.
caution-of-run = { $run }: { $warning }
caution-named-but-same = `{ $name }` 항목은 변경한 것으로 지정되었으나 두 실행에서 같습니다.

caution-left-out = 무효 셀 { $invalid }개와 중단된 셀 { $interrupted }개는 모든 수치와 판정에서 제외되었습니다; 이유는 나열되어 있습니다.
caution-left-out-invalid = 무효 셀 { $invalid }개는 모든 수치와 판정에서 제외되었습니다; 이유는 나열되어 있습니다.
caution-left-out-interrupted = 중단된 셀 { $interrupted }개는 모든 수치와 판정에서 제외되었습니다; 이유는 나열되어 있습니다.
caution-warned = 유효한 셀 { $cells }개에 경고가 있습니다; 첫 번째는 { $bed }, { $at }: { $first }
caution-inputs = 유효한 셀 { $cells }개에서 입력이 5.5.1.5항의 한계를 벗어났으며, 이는 짧은 셀에서 우연히 일어날 수 있습니다; 첫 번째: { $first }
caution-errors = 유효한 셀에서 오류 { $errors }건이 집계되었습니다.
caution-errors-first = 유효한 셀에서 오류 { $errors }건이 집계되었습니다, 첫 번째: { $first }
caution-few-samples = 일부 셀의 p99는 지연 시간 표본 { $fewest }개에만 근거합니다; p99의 한계를 정하려면 적어도 { $least }개가 필요합니다.

caution-generator = { $levels }에서 부하 생성기가 { $bed }의 제한 요인이었습니다: 이 조건에서는 스토리지가 측정되지 않았습니다.
caution-place = { $bed } ({ $levels })
caution-and-more = { $told } 외 { $more }건
caution-generator-several = 부하 생성기가 제한 요인이었습니다: { $places }. 이 조건에서는 스토리지가 측정되지 않았습니다.
caution-unlike-points = { $workload }의 수치는 행렬의 서로 다른 지점을 합친 값입니다: { $points }. 각 지점에 대한 답이 아닙니다. 지점별 값은 보고서와 `drivetrain show { $run } --full`에 있습니다.
caution-all-points = { $count }개 전체
caution-behind-several = 요청 속도에 미달했습니다: { $places }. 응답할 수 있는 것보다 많은 요청을 받았으므로, 이때의 지연 시간에는 요청이 시작되기를 기다린 시간이 포함되며 단계의 길이에 따라 달라집니다.
caution-paced-several = 요청 속도가 충족되었습니다: { $places }. 지연 시간은 이 속도에서의 값이며 최고 속도는 측정되지 않았습니다.
caution-paced = { $levels }에서 { $bed }의 요청 속도가 충족되었습니다: 지연 시간은 이 속도에서의 값이며 최고 속도는 측정되지 않았습니다.
caution-above-pace = { $bed }: { $levels }에서 요청 속도를 10 % 넘게 초과했습니다. 부하 증가 단계가 너무 짧아 (입력 시간이 있는 사용자의 경우 첫 입력 시간과 생각 시간이 끝나지 않음) 처리량과 지연 시간 모두 요청 속도에서의 값이 아닙니다.
caution-above-pace-several = 요청 속도를 10 % 넘게 초과했습니다: { $places }. 부하 증가 단계가 너무 짧아 (입력 시간이 있는 사용자의 경우 첫 입력 시간과 생각 시간이 끝나지 않음) 처리량과 지연 시간 모두 요청 속도에서의 값이 아닙니다.
caution-late = I/O가 드라이브 모델의 시간보다 늦게 완료되었습니다: { $beds }. 이 시스템이 속도를 따라가지 못하여 베드가 모델 드라이브보다 느려 보입니다.
caution-late-of = { $bed } 최대 { $percent } % (가장 많은 곳: { $at })
caution-late-verdict = 드라이브 모델보다 늦은 완료가 { $at }에서 호출자 시간의 { $percent } % ({ $bed })와 { $baseline_percent } % ({ $baseline })를 차지했습니다. 이를 제외하면 { $metric }의 비율은 { $ratio } 대신 { $without }, 판정은 { $verdict } 대신 { $verdict_without }입니다: 드라이브가 아니라 이 시스템이 결과를 결정합니다. 반복을 늘려도 달라지지 않습니다.
caution-off-model = 모델 드라이브의 평균 시간이 모델과 다릅니다: { $beds }. 이 정도의 차이는 드라이브가 아니라 이 시스템에서 올 수 있습니다.
caution-off-model-of =
    { $bed } { $kind ->
        [read] 읽기
        [write] 쓰기
       *[sync] 동기화
    } { $by } { $direction ->
        [longer] 더 김
       *[shorter] 더 짧음
    } ({ $at })
caution-on-bed = { $bed }에서: { $sentence }
caution-on-beds = { $what }: { $beds }
caution-on-one = { $bed } { $what }
caution-others = 측정 중에 다른 프로그램이 프로세서 시간을 사용했습니다: { $beds }. 수치에는 그 간섭이 포함되어 있습니다.
caution-others-of = { $bed } 최대 { $percent } % ({ $at })
caution-others-apart = 다른 프로그램이 프로세서 시간의 { $percent } % ({ $run })와 { $baseline_percent } % ({ $baseline })를 사용했습니다 ({ $bed }, { $at }): 이것만으로도 차이가 생길 수 있습니다. 다른 작업이 없는 시스템에서 둘 다 측정하십시오.
caution-one-drive = { $beds }의 데이터는 한 파일 시스템에 있습니다 ({ $source }, 마운트 위치 { $mount }): 이들 간의 차이는 드라이브에서 오는 것이 아닙니다.

caution-few-repeats = 주 비교 { $all }건 중 { $few }건은 반복이 너무 적어 (6쌍 미만, 또는 짝짓지 않은 셀 4개 대 4개 미만) 탐색적입니다: 참고일 뿐 확정된 결과가 아닙니다.
caution-unjudged = 주 비교 { $count }건을 판정할 수 없습니다. 첫 번째: { $first }
caution-below-noise = 차이가 한 베드의 셀 간 변동 ({ $variation })보다 작습니다.
caution-behind = { $bed }: { $levels }에서 요청 속도에 미달했습니다. 응답할 수 있는 것보다 많은 요청을 받았으므로, 이때의 지연 시간에는 요청이 시작되기를 기다린 시간이 포함되며 단계의 길이에 따라 달라집니다.
caution-buffered = { $jobs }의 I/O는 버퍼링됩니다 (`direct`가 꺼짐): 커널의 페이지 캐시가 그 일부, 경우에 따라 전부에 응답했습니다. 수치는 메모리와 스토리지를 합친 것이며, 제한 요인 “드라이브”는 둘 다를 뜻합니다.
