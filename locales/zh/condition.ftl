condition-rows = 行数与所加载的相同
condition-ids = id 为 1 至行数
condition-k = 每个 k 至少为 1
condition-texts = 每个文本都符合其模式
condition-index = k 上的索引与表一致
