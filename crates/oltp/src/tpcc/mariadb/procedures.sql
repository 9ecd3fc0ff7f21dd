-- The five transactions as procedures of MariaDB, one round trip each; statements end at a line of its own with two slashes. Isolation: see
-- sql.rs. An error ends a procedure; the client rolls back then.

CREATE OR REPLACE PROCEDURE tpcc_customer_by_name(in_w int, in_d int, in_name varchar(16) CHARACTER SET ascii COLLATE ascii_bin, OUT out_c int)
READS SQL DATA
BEGIN
    -- 2.5.2.2: sorted by first name, position n/2 rounded up.
    DECLARE total, position int;
    SELECT count(*) INTO total FROM customer WHERE c_w_id = in_w AND c_d_id = in_d AND c_last = in_name;
    SET position = (total + 1) DIV 2 - 1;
    SELECT c_id INTO out_c FROM customer WHERE c_w_id = in_w AND c_d_id = in_d AND c_last = in_name
    ORDER BY c_first, c_id LIMIT position, 1;
END
//
-- in_lines: number, item, supplying warehouse and quantity of each line, sorted by stock, each number with ten digits. Gives the order, or
-- nothing when a line names an unused item, and then one row for each line.
CREATE OR REPLACE PROCEDURE tpcc_new_order(
    in_w int, in_d int, in_c int, in_at datetime(3), in_count int, in_all_local int, in_lines varchar(700) CHARACTER SET ascii)
MODIFIES SQL DATA
BEGIN
    DECLARE var_order, line_number, item, supply, quantity, stock, at int;
    DECLARE line_index int DEFAULT 0;
    DECLARE price decimal(5,2);
    DECLARE name varchar(24) CHARACTER SET ascii COLLATE ascii_bin;
    DECLARE dist char(24) CHARACTER SET ascii COLLATE ascii_bin;
    DECLARE item_original, stock_original boolean;
    DECLARE district_tax, warehouse_tax, discount decimal(4,4);
    DECLARE last_name varchar(16) CHARACTER SET ascii COLLATE ascii_bin;
    DECLARE credit char(2) CHARACTER SET ascii COLLATE ascii_bin;
    DECLARE valid boolean DEFAULT TRUE;
    DECLARE answer varchar(1500) CHARACTER SET ascii DEFAULT '';
    DECLARE CONTINUE HANDLER FOR NOT FOUND SET valid = FALSE;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
    START TRANSACTION;
    SELECT d_next_o_id, d_tax INTO var_order, district_tax FROM district WHERE d_w_id = in_w AND d_id = in_d FOR UPDATE;
    UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = in_w AND d_id = in_d;
    SELECT w_tax, c_discount, c_last, c_credit INTO warehouse_tax, discount, last_name, credit
    FROM warehouse, customer WHERE w_id = in_w AND c_w_id = in_w AND c_d_id = in_d AND c_id = in_c;
    INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
    VALUES (var_order, in_d, in_w, in_c, in_at, NULL, in_count, in_all_local);
    INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (var_order, in_d, in_w);
    WHILE line_index < in_count DO
        SET at = line_index * 40;
        SET line_number = SUBSTR(in_lines, at + 1, 10), item = SUBSTR(in_lines, at + 11, 10),
            supply = SUBSTR(in_lines, at + 21, 10), quantity = SUBSTR(in_lines, at + 31, 10), price = NULL;
        SELECT i_price, i_name, LOCATE('ORIGINAL', i_data) > 0 INTO price, name, item_original FROM item WHERE i_id = item;
        IF price IS NOT NULL THEN
            SELECT s_quantity, LOCATE('ORIGINAL', s_data) > 0, CASE in_d WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03
                WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08
                WHEN 9 THEN s_dist_09 ELSE s_dist_10 END
            INTO stock, stock_original, dist FROM stock WHERE s_w_id = supply AND s_i_id = item FOR UPDATE;
            SET stock = IF(stock >= quantity + 10, stock - quantity, stock - quantity + 91);
            UPDATE stock SET s_quantity = stock, s_ytd = s_ytd + quantity, s_order_cnt = s_order_cnt + 1,
                s_remote_cnt = s_remote_cnt + (supply <> in_w)
            WHERE s_w_id = supply AND s_i_id = item;
            INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount,
                ol_dist_info)
            VALUES (var_order, in_d, in_w, line_number, item, supply, NULL, quantity, quantity * price, dist);
            SET answer = CONCAT(answer, line_number, ',', price, ',', stock, ',', IF(item_original AND stock_original, 'B', 'G'), ',', name, ';');
        END IF;
        SET line_index = line_index + 1;
    END WHILE;
    IF valid THEN
        COMMIT;
        SELECT var_order, district_tax, warehouse_tax, discount, last_name, credit, answer;
    ELSE
        ROLLBACK;
        SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL;
    END IF;
END
//
-- By number, or by name where in_name is given.
CREATE OR REPLACE PROCEDURE tpcc_payment(
    in_w int, in_d int, in_c_w int, in_c_d int, in_c int, in_name varchar(16) CHARACTER SET ascii COLLATE ascii_bin, in_amount decimal(6,2),
    in_at datetime(3))
MODIFIES SQL DATA
BEGIN
    DECLARE var_c int DEFAULT in_c;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
    START TRANSACTION;
    IF in_name IS NOT NULL THEN
        CALL tpcc_customer_by_name(in_c_w, in_c_d, in_name, var_c);
    END IF;
    UPDATE customer SET
        c_balance = c_balance - in_amount, c_ytd_payment = c_ytd_payment + in_amount, c_payment_cnt = c_payment_cnt + 1,
        c_data = IF(c_credit = 'BC', LEFT(CONCAT(CONCAT_WS(' ', var_c, in_c_d, in_c_w, in_d, in_w, in_amount), '|', c_data), 500), c_data)
    WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_id = var_c;
    INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    SELECT var_c, in_c_d, in_c_w, in_d, in_w, in_at, in_amount, CONCAT(w_name, '    ', d_name)
    FROM warehouse, district WHERE w_id = in_w AND d_w_id = in_w AND d_id = in_d;
    UPDATE district SET d_ytd = d_ytd + in_amount WHERE d_w_id = in_w AND d_id = in_d;
    UPDATE warehouse SET w_ytd = w_ytd + in_amount WHERE w_id = in_w;
    SELECT c_balance, IF(c_credit = 'BC', LEFT(c_data, 200), NULL), c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state,
        c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount, w_name, d_name, w_street_1, w_street_2, w_city, w_state, w_zip,
        d_street_1, d_street_2, d_city, d_state, d_zip, c_id
    FROM customer, warehouse, district
    WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_id = var_c AND w_id = in_w AND d_w_id = in_w AND d_id = in_d;
    COMMIT;
END
//
CREATE OR REPLACE PROCEDURE tpcc_order_status(in_w int, in_d int, in_c int, in_name varchar(16) CHARACTER SET ascii COLLATE ascii_bin)
READS SQL DATA
BEGIN
    DECLARE var_c int DEFAULT in_c;
    IF in_name IS NOT NULL THEN
        CALL tpcc_customer_by_name(in_w, in_d, in_name, var_c);
    END IF;
    {ORDER_STATUS};
END
//
-- Gives the district and number of each order that went out.
CREATE OR REPLACE PROCEDURE tpcc_delivery(in_w int, in_carrier int, in_at datetime(3))
MODIFIES SQL DATA
BEGIN
    DECLARE district int DEFAULT 1;
    DECLARE oldest, var_c int;
    DECLARE amount decimal(12,2);
    DECLARE answer varchar(200) CHARACTER SET ascii DEFAULT '';
    DECLARE CONTINUE HANDLER FOR NOT FOUND SET oldest = NULL;
    DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
    START TRANSACTION;
    WHILE district <= 10 DO
        SELECT no_o_id INTO oldest FROM new_order WHERE no_w_id = in_w AND no_d_id = district ORDER BY no_o_id LIMIT 1 FOR UPDATE;
        IF oldest IS NOT NULL THEN
            DELETE FROM new_order WHERE no_w_id = in_w AND no_d_id = district AND no_o_id = oldest;
            UPDATE orders SET o_carrier_id = in_carrier WHERE o_w_id = in_w AND o_d_id = district AND o_id = oldest;
            SELECT o_c_id INTO var_c FROM orders WHERE o_w_id = in_w AND o_d_id = district AND o_id = oldest;
            UPDATE order_line SET ol_delivery_d = in_at WHERE ol_w_id = in_w AND ol_d_id = district AND ol_o_id = oldest;
            SELECT sum(ol_amount) INTO amount FROM order_line WHERE ol_w_id = in_w AND ol_d_id = district AND ol_o_id = oldest;
            UPDATE customer SET c_balance = c_balance + amount, c_delivery_cnt = c_delivery_cnt + 1
            WHERE c_w_id = in_w AND c_d_id = district AND c_id = var_c;
            SET answer = CONCAT(answer, district, ',', oldest, ';');
        END IF;
        SET district = district + 1;
    END WHILE;
    COMMIT;
    SELECT answer;
END
//
CREATE OR REPLACE PROCEDURE tpcc_stock_level(in_w int, in_d int, in_threshold int)
READS SQL DATA
BEGIN
    {STOCK_LEVEL};
END
