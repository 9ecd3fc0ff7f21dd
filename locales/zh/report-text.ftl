text-varied = 两次运行之间有意改变了 { $count } 项：
text-no-nuisance = 除处理因素外，各平台在所记录的因素上没有不同。
text-no-nuisance-of-runs = 所记录的两次运行的环境相同。
text-nuisances = 除处理因素外，各平台在 { $count } 个因素上不同。因此以字母命名，任何差异都不能仅归因于处理因素。
text-nuisances-of-runs = 两次运行的环境在 { $count } 个因素上不同；差异可能来自其中任何一个。
text-lettered-bed = { $bed } 是 { $label }（{ $storage }）
text-metric = { $title }（{ $unit }，{ $direction }；最小效应 { $smallest }；平均值为几何平均值）
text-exploratory = 探索性：{ $count } 项对比，其指标在运行之前没有声明；只有当按 Holm 法依其项数提高后的 p 仍不大于 0.05 时，差异才成立。
text-highest-level-only = 仅显示最高级别。
text-noise = { $workload } { $metric }：变异系数 { $variation }（{ $groups } 组平台与级别的中位数），最大 { $most }；最大的 (最大值 - 最小值) / 中位数 { $range }
left-out-cell = 单元 { $cell }：{ $bed }（{ $at }），第 { $repeat } 次重复，{ $state }：{ $reason }
left-out-no-reason = 没有记录原因

heading-durability = 持久性测试（第 3.5.4 条）
heading-in-figures = { $workload } 的数值
heading-not-concluded = 这些数值的局限
heading-instances = 并列的实例（各次重复的平均值）
heading-limits = 实例的限制（各次重复的平均值）
heading-inputs = 事务输入（所有有效单元）
heading-limiters = { $workload } 各单元的瓶颈，按{ $level }
heading-noise = 噪声：同一平台与自身相比，各次重复之间
heading-left-out = 已排除
heading-careful = 注意事项

summary-title = { $title }（{ $name }），运行 { $run }
summary-run = { $state }，开始于 { $start } UTC，{ $cells } 个单元中 { $valid } 个有效，种子 { $seed }，{ $realm }，{ $scale }
summary-means = { $workload }：各次重复的几何平均值及其 95 % 置信区间的半宽
summary-imported = { $state }，开始于 { $start } UTC，{ $cells } 个单元中 { $valid } 个有效，{ $realm }自 { $program }
