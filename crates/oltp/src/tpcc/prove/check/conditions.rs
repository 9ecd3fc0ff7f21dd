//! The text of the check, in SQL that all engines speak. Every query gives one row for each violation with
//! its `place`; ?1 and ?2 are the first and the last warehouse, `{text}` is the type of texts.

use super::Stage;

/// One condition.
pub(crate) struct Source {
    pub(crate) number: u8,
    pub(crate) clause: &'static str,
    pub(crate) violations: &'static str,
}

impl Source {
    pub(crate) fn applies(&self, stage: Stage) -> bool {
        stage == Stage::AfterLoad || self.number != 11
    }
}

/// One summary: a temporary table.
pub(crate) struct Summary {
    pub(crate) name: &'static str,
    pub(crate) key: &'static str,
    pub(crate) content: &'static str,
}

/// Order lines by order, delivered amounts by customer, payments by customer. Each is read from the ones
/// before.
pub(crate) const SUMMARIES: [Summary; 3] = [
    Summary {
        name: "order_sum",
        key: "w, d, o",
        content: "
            SELECT ol_w_id AS w, ol_d_id AS d, ol_o_id AS o, count(*) AS line_count, count(ol_delivery_d) AS dated,
                sum(CASE WHEN ol_delivery_d IS NULL THEN 0 ELSE ol_amount END) AS delivered
            FROM order_line WHERE ol_w_id BETWEEN ?1 AND ?2 GROUP BY ol_w_id, ol_d_id, ol_o_id",
    },
    Summary {
        name: "delivered_sum",
        key: "w, d, c",
        content: "
            SELECT o_w_id AS w, o_d_id AS d, o_c_id AS c, sum(delivered) AS amount
            FROM orders JOIN order_sum ON w = o_w_id AND d = o_d_id AND o = o_id
            WHERE o_w_id BETWEEN ?1 AND ?2 GROUP BY o_w_id, o_d_id, o_c_id",
    },
    Summary {
        name: "paid_sum",
        key: "w, d, c",
        content: "
            SELECT h_c_w_id AS w, h_c_d_id AS d, h_c_id AS c, sum(h_amount) AS amount FROM history
            WHERE h_c_w_id BETWEEN ?1 AND ?2 GROUP BY h_c_w_id, h_c_d_id, h_c_id",
    },
];

/// The missing rows of the fixed tables: every warehouse has ten districts.
pub(crate) const FIXED_ROWS: &str = "
    SELECT (SELECT count(*) FROM warehouse WHERE w_id BETWEEN ?1 AND ?2), (SELECT count(*) FROM district WHERE d_w_id BETWEEN ?1 AND ?2)";

/// The twelve, in order.
pub(crate) const CONDITIONS: [Source; 12] = [
    Source {
        number: 1,
        clause: "3.3.2.1: W_YTD = sum(D_YTD)",
        violations: "
            SELECT concat('warehouse ', w_id, ': w_ytd ', w_ytd, ', sum(d_ytd) ', coalesce(total, 0)) AS place
            FROM warehouse LEFT JOIN
                (SELECT d_w_id, sum(d_ytd) AS total FROM district WHERE d_w_id BETWEEN ?1 AND ?2 GROUP BY d_w_id) AS t ON d_w_id = w_id
            WHERE w_id BETWEEN ?1 AND ?2 AND w_ytd <> coalesce(total, 0)",
    },
    Source {
        number: 2,
        clause: "3.3.2.2: D_NEXT_O_ID - 1 = max(O_ID) = max(NO_O_ID)",
        violations: "
            SELECT concat('warehouse ', d_w_id, ' district ', d_id, ': d_next_o_id ', d_next_o_id, ', max(o_id) ',
                    coalesce(CAST(last_order AS {text}), 'none'), ', max(no_o_id) ', coalesce(CAST(last_new AS {text}), 'none')) AS place
            FROM district
            LEFT JOIN (SELECT o_w_id, o_d_id, max(o_id) AS last_order FROM orders WHERE o_w_id BETWEEN ?1 AND ?2 GROUP BY o_w_id, o_d_id) AS o
                ON o_w_id = d_w_id AND o_d_id = d_id
            LEFT JOIN (SELECT no_w_id, no_d_id, max(no_o_id) AS last_new FROM new_order WHERE no_w_id BETWEEN ?1 AND ?2 GROUP BY no_w_id, no_d_id) AS n
                ON no_w_id = d_w_id AND no_d_id = d_id
            WHERE d_w_id BETWEEN ?1 AND ?2 AND (last_order IS NULL OR last_order <> d_next_o_id - 1 OR last_new <> d_next_o_id - 1)",
    },
    Source {
        number: 3,
        clause: "3.3.2.3: max(NO_O_ID) - min(NO_O_ID) + 1 = number of rows",
        violations: "
            SELECT concat('warehouse ', no_w_id, ' district ', no_d_id, ': no_o_id from ', min(no_o_id), ' to ', max(no_o_id), ', ',
                    count(*), ' rows') AS place
            FROM new_order WHERE no_w_id BETWEEN ?1 AND ?2 GROUP BY no_w_id, no_d_id
            HAVING max(no_o_id) - min(no_o_id) + 1 <> count(*)",
    },
    Source {
        number: 4,
        clause: "3.3.2.4: sum(O_OL_CNT) = number of order lines of the district",
        violations: "
            SELECT concat('warehouse ', w, ' district ', d, ': sum(o_ol_cnt) ', sum(announced), ', lines ', sum(present)) AS place
            FROM (SELECT o_w_id AS w, o_d_id AS d, o_ol_cnt AS announced, 0 AS present FROM orders WHERE o_w_id BETWEEN ?1 AND ?2
                UNION ALL SELECT w, d, 0, line_count FROM order_sum) AS t
            GROUP BY w, d HAVING sum(announced) <> sum(present)",
    },
    Source {
        number: 5,
        clause: "3.3.2.5: O_CARRIER_ID is null if and only if NEW-ORDER has the order",
        violations: "
            SELECT concat('order ', o_w_id, '/', o_d_id, '/', o_id, ': o_carrier_id ', coalesce(CAST(o_carrier_id AS {text}), 'null'),
                    CASE WHEN no_o_id IS NULL THEN ', not in new_order' ELSE ', in new_order' END) AS place
            FROM orders LEFT JOIN new_order ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id
            WHERE o_w_id BETWEEN ?1 AND ?2 AND CASE WHEN o_carrier_id IS NULL THEN 1 ELSE 0 END <> CASE WHEN no_o_id IS NULL THEN 0 ELSE 1 END
            UNION ALL
            SELECT concat('order ', no_w_id, '/', no_d_id, '/', no_o_id, ': in new_order, not in orders')
            FROM new_order LEFT JOIN orders ON o_w_id = no_w_id AND o_d_id = no_d_id AND o_id = no_o_id
            WHERE no_w_id BETWEEN ?1 AND ?2 AND o_id IS NULL",
    },
    Source {
        number: 6,
        clause: "3.3.2.6: O_OL_CNT = number of the order's lines",
        violations: "
            SELECT concat('order ', o_w_id, '/', o_d_id, '/', o_id, ': o_ol_cnt ', o_ol_cnt, ', lines ', coalesce(line_count, 0)) AS place
            FROM orders LEFT JOIN order_sum ON w = o_w_id AND d = o_d_id AND o = o_id
            WHERE o_w_id BETWEEN ?1 AND ?2 AND o_ol_cnt <> coalesce(line_count, 0)",
    },
    Source {
        number: 7,
        clause: "3.3.2.7: OL_DELIVERY_D is null if and only if the order's O_CARRIER_ID is null",
        violations: "
            SELECT concat('order ', o_w_id, '/', o_d_id, '/', o_id, ': o_carrier_id ', coalesce(CAST(o_carrier_id AS {text}), 'null'),
                    ', ', dated, ' of ', line_count, ' lines with a delivery date') AS place
            FROM orders JOIN order_sum ON w = o_w_id AND d = o_d_id AND o = o_id
            WHERE o_w_id BETWEEN ?1 AND ?2 AND dated <> CASE WHEN o_carrier_id IS NULL THEN 0 ELSE line_count END",
    },
    Source {
        number: 8,
        clause: "3.3.2.8: W_YTD = sum(H_AMOUNT)",
        violations: "
            SELECT concat('warehouse ', w_id, ': w_ytd ', w_ytd, ', sum(h_amount) ', coalesce(total, 0)) AS place
            FROM warehouse LEFT JOIN
                (SELECT h_w_id, sum(h_amount) AS total FROM history WHERE h_w_id BETWEEN ?1 AND ?2 GROUP BY h_w_id) AS h ON h_w_id = w_id
            WHERE w_id BETWEEN ?1 AND ?2 AND w_ytd <> coalesce(total, 0)",
    },
    Source {
        number: 9,
        clause: "3.3.2.9: D_YTD = sum(H_AMOUNT)",
        violations: "
            SELECT concat('warehouse ', d_w_id, ' district ', d_id, ': d_ytd ', d_ytd, ', sum(h_amount) ', coalesce(total, 0)) AS place
            FROM district LEFT JOIN
                (SELECT h_w_id, h_d_id, sum(h_amount) AS total FROM history WHERE h_w_id BETWEEN ?1 AND ?2 GROUP BY h_w_id, h_d_id) AS h
                ON h_w_id = d_w_id AND h_d_id = d_id
            WHERE d_w_id BETWEEN ?1 AND ?2 AND d_ytd <> coalesce(total, 0)",
    },
    Source {
        number: 10,
        clause: "3.3.2.10: C_BALANCE = sum(OL_AMOUNT delivered) - sum(H_AMOUNT)",
        violations: "
            SELECT concat('customer ', c_w_id, '/', c_d_id, '/', c_id, ': c_balance ', c_balance, ', delivered ',
                    coalesce(delivered_sum.amount, 0), ', paid ', coalesce(paid_sum.amount, 0)) AS place
            FROM customer
            LEFT JOIN delivered_sum ON delivered_sum.w = c_w_id AND delivered_sum.d = c_d_id AND delivered_sum.c = c_id
            LEFT JOIN paid_sum ON paid_sum.w = c_w_id AND paid_sum.d = c_d_id AND paid_sum.c = c_id
            WHERE c_w_id BETWEEN ?1 AND ?2 AND c_balance <> coalesce(delivered_sum.amount, 0) - coalesce(paid_sum.amount, 0)",
    },
    Source {
        number: 11,
        clause: "3.3.2.11: count(ORDER) - count(NEW-ORDER) = 2100 (right after loading)",
        violations: "
            SELECT concat('warehouse ', d_w_id, ' district ', d_id, ': ', coalesce(all_orders, 0), ' orders, ', coalesce(waiting, 0),
                    ' of them new') AS place
            FROM district
            LEFT JOIN (SELECT o_w_id, o_d_id, count(*) AS all_orders FROM orders WHERE o_w_id BETWEEN ?1 AND ?2 GROUP BY o_w_id, o_d_id) AS o
                ON o_w_id = d_w_id AND o_d_id = d_id
            LEFT JOIN (SELECT no_w_id, no_d_id, count(*) AS waiting FROM new_order WHERE no_w_id BETWEEN ?1 AND ?2 GROUP BY no_w_id, no_d_id) AS n
                ON no_w_id = d_w_id AND no_d_id = d_id
            WHERE d_w_id BETWEEN ?1 AND ?2 AND coalesce(all_orders, 0) - coalesce(waiting, 0) <> {delivered}",
    },
    Source {
        number: 12,
        clause: "3.3.2.12: C_BALANCE + C_YTD_PAYMENT = sum(OL_AMOUNT delivered)",
        violations: "
            SELECT concat('customer ', c_w_id, '/', c_d_id, '/', c_id, ': c_balance ', c_balance, ', c_ytd_payment ', c_ytd_payment,
                    ', delivered ', coalesce(amount, 0)) AS place
            FROM customer LEFT JOIN delivered_sum ON w = c_w_id AND d = c_d_id AND c = c_id
            WHERE c_w_id BETWEEN ?1 AND ?2 AND c_balance + c_ytd_payment <> coalesce(amount, 0)",
    },
];
