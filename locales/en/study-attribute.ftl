### Attribution of a gain.

factor-driver = place of the driver
factor-rest = rest (hosts, storage stack, controller, waits)
factor-of-drive = drive
factor-of-processor = processor
factor-of-network = network
factor-of-memory = memory
