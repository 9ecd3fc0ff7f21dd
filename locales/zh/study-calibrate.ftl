parameter-on-bound = 在边界上
parameter-identified = 可辨识
parameter-not-identified = 不可辨识
