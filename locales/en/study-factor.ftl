### Factors besides the one under test in which beds of a study differ, and the effect of each.

factor-differ = { $a } against { $b } differ in { $factor }
factor-effect = { $x } against { $y }: { $effect }
factor-count = { $nodes } nodes x { $each } = { $total }
factor-no-mirror = no mirrored writes over the network: not a production setting; it flatters every bed and hides the network's cost
factor-no-replica = { $name }: no replica (FTT=0)
factor-processor = processor
    .effect = the same work takes a different amount of processor time
factor-nodes = nodes
    .effect = more hosts, links and disk groups
factor-drives = number of drives
    .effect = more drives serve the load
factor-drive = drive and its capacity
    .effect = the drive under test and its size
factor-storage-network = storage network
    .effect = bandwidth and latency between hosts
factor-memory = memory
    .effect = processor cost of a transaction and share of cached data
factor-storage-path = storage path
    .effect = controller queue and latency belong to one side
factor-server = server
    .effect = another machine
factor-software = software
    .effect = another version behaves differently
factor-none = none
