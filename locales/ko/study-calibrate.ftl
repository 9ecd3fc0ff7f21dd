parameter-on-bound = 경계에 있음
parameter-identified = 식별됨
parameter-not-identified = 식별 안 됨
