audit-two-of = { $system }의 { $throughput } 및 { $latency }
audit-needs-latency = 같은 동시성에서 처리량이 { $faster }x이면 지연 시간은 { $faster }x 낮아야 함 ({ $lower } % 낮음); 인쇄된 지연 시간은 { $shorter }x 낮음 ({ $printed } %)
audit-drives-needed = { $ratio }x 달성에 필요한 것: { $needed }
audit-of-two-tests = { $first } 및 { $second }의 { $metric }
audit-printed-twice = 둘 다 { $value }: 한 번의 실행이 두 번 보고된 것이며 반복이 아님
audit-no-metric = 해당 지표의 수치가 없음; 있는 지표는 { $metrics }
audit-no-number = `{ $id }` 수치가 없음
audit-did-you-mean = 혹시 `{ $id }`입니까?
audit-numbers-names-two = `numbers`에는 ID 두 개를 지정해야 함: 수치 자체와 비교 대상 수치
audit-units-differ = 단위가 다름: { $a }의 단위는 { $a_unit }, { $b }의 단위는 { $b_unit }
audit-none-measured = 측정된 수치가 없음
audit-none-measured-of-test = 테스트 `{ $test }`에 측정된 수치가 없음
audit-against-which = { $systems } 중 무엇과 비교하는지 나와 있지 않음
audit-names-no-two = `{ $system }`: { $systems } 중 둘을 지정하지 않음
audit-which-two = { $systems } 중 어느 둘인지 나와 있지 않음
audit-only-one = 해당 수치가 있는 것은 { $system }뿐임
audit-one-system = 시스템 하나
audit-units-apart = 수치의 단위가 서로 비교할 수 없는 것임
audit-no-common-level = { $left } 및 { $right } 둘 다 해당 지표가 있는 테스트와 수준이 없음
audit-no-other = 없음
audit-many-of-them = { $many }개
judge-times = { $division }, 따라서 { $times }x
judge-literal = { $check }: 원래의 1을 더해야만 { $n }배 더 많다고 할 수 있으며, 그렇게 읽는 독자는 드묾
judge-share-more = { $division }: 상대의 { $of } % ({ $more })
judge-share = { $division }: 상대의 { $of } %
judge-not-lower = { $said }, { $p } %가 아님: 100 %를 넘게 낮아질 수는 없음
judge-way-back = { $said }: { $p } %는 반대 방향의 변화임
judge-not = { $said }, { $p } %가 아님
judge-ratio-as-increase = { $said }, { $p } %가 아님: 비율을 증가로 읽은 것임
judge-percent-of = { $division }: 상대의 { $of } %이며, 증가는 { $more }
judge-plus-ratio-as-increase = { $said }, +{ $p } %가 아님: 비율을 증가로 읽은 것임
judge-plus-other-lower = { $said }, +{ $p } %가 아님: 상대가 그 백분율만큼 낮은 것임
judge-not-plus = { $said }, +{ $p } %가 아님
audit-no-one-figure = 본문에서 맞는 수치를 하나로 정할 수 없음: `printed` 및 `unit` 값을 지정하십시오
audit-a-percentage = 백분율입니까? 본문에는 { $said } %로 되어 있습니다: 그렇다면 unit = "%"를 지정하십시오
audit-not = { $said } 아님
audit-formula-units = { $a }의 단위는 { $a_unit }, { $b }의 단위는 { $b_unit }이며 수식은 단위를 변환하지 않음: 수식에서 둘 중 하나를 변환하십시오
audit-divides-by-zero = `{ $text }` 값이 0이므로 이 값으로는 비율을 구할 수 없음
audit-ratio-to-itself = `{ $id }` 대 자신의 비율은 아무 의미가 없음: 두 수치를 지정하십시오
formula-not-finite = `{ $text }`에 유한한 값이 없음
formula-not-understood = 수식 `{ $text }`의 `{ $rest }` 부분을 해석할 수 없음; + - * / ( ) ceil(), 숫자, ID를 사용하십시오
formula-too-deep = 수식의 중첩이 너무 깊음
formula-open-bracket = 괄호가 닫히지 않음
formula-missing = 숫자 또는 ID가 빠짐
claim-no-unit = 수치에 단위가 없음: unit = "%" 또는 "x"를 지정하십시오
claim-states-value = { $other } 단위의 값 하나를 말할 뿐 비교하는 것이 없음
claim-no-figure = 비교하는 수치가 없음: `printed` 및 `unit`, 또는 `formula`, 또는 직접 정한 `verdict`를 지정하십시오
claim-several-figures = 수치가 여러 개임: 각각에 대해 진술을 하나씩 작성하십시오
claim-place = { $a } 및 { $b }의 { $metric }
claim-place-in = { $test }에서 { $place }
claim-so-do = ; 다른 { $more }쌍도 같음
claim-and-more = 그 밖에 { $more }건
claim-not-same = 가능한 의미마다 결과가 다름: { $checks }
law-little = 리틀의 법칙: { $per_s }/s x { $ms } ms = 진행 중 { $in_flight }; 설정값은 { $set } ({ $why })
law-bytes = { $time } s x { $gb_per_s } GB/s = { $moved } GB, 데이터베이스는 { $size_gb } ({ $off } %); { $time } s 동안 { $size_gb } GB는 { $needed } GB/s
law-bytes-claim = { $size_gb } GB { $what }, { $s } s, { $rate } { $unit }
law-counts-claim = { $test }의 TPM { $tpm } 및 NOPM { $nopm }
law-counts = NOPM / TPM = { $share }, 다른 쌍에서는 { $median }: 둘 중 하나가 의심스러움
rating-not-alike = 동일 조건 아님
rating-not-matched = 대응 없음
judge-speed = 속도
judge-not-higher = { $division }: { $a }의 { $what } 값은 { $b }보다 높지 않고 오히려 낮음
judge-not-lower-than = { $division }: { $a }의 { $what } 값은 { $b }보다 낮지 않고 오히려 높음
judge-times-more = { $check } (문자 그대로 "배 더 많다"는 거기에 1을 더한 값임)
judge-understates = { $check } (과소 표현)
judge-overstates = { $check } (과장)
judge-time-lower = { $division }: { $metric } { $by } % 낮음, 따라서 속도는 { $faster } % 높음
judge-lower = { $division }: { $metric } { $by } % 낮음; 상대는 { $faster } % 높음
judge-as-speed =
    { $division }: { $metric } { $by } % { $time ->
        [lower] 낮음
       *[higher] 높음
    }, 따라서 속도는 { $gain } % { $speed ->
        [lower] 낮음
       *[higher] 높음
    }
law-more-than-can-be = 가능한 값보다 많음
law-fewer-than-set = 설정값보다 적음
law-as-set = 설정값과 같음
rating-wrong = 틀림
rating-inconsistent = 모순
rating-unsupported = 근거 없음
rating-loose = 부정확
rating-right = 맞음
