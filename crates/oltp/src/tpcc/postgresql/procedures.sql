-- The five transactions as functions of PostgreSQL, one round trip each. Names in braces stand for the statements of sql.rs, whose
-- parameters $1, $2 ... are the function's. Isolation: see sql.rs; every statement of a function sees its own moment.

-- A procedure and no function, because the user's mistake rolls back without an error. in_firsts: so many of the lines (sorted by stock)
-- name stock that no line before them names; those after them are taken one by one.
CREATE OR REPLACE PROCEDURE tpcc_new_order(
    in_w int, in_d int, in_c int, in_at timestamp, in_numbers int[], in_items int[], in_supplies int[], in_quantities int[],
    in_firsts int, in_all_local int,
    INOUT out_order int, INOUT out_district_tax numeric, INOUT out_warehouse_tax numeric, INOUT out_discount numeric,
    INOUT out_last text, INOUT out_credit text, INOUT out_numbers int[], INOUT out_prices numeric[], INOUT out_names text[],
    INOUT out_stocks int[], INOUT out_brands text[])
LANGUAGE plpgsql AS $$
DECLARE
    lines int := cardinality(in_numbers);
    round_numbers int[]; round_prices numeric[]; round_names text[]; round_stocks int[]; round_brands text[];
    first int := 1;
    last int := in_firsts;
BEGIN
    UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = in_w AND d_id = in_d
    RETURNING d_next_o_id - 1, d_tax INTO out_order, out_district_tax;
    SELECT w_tax, c_discount, c_last, c_credit INTO out_warehouse_tax, out_discount, out_last, out_credit
    FROM warehouse, customer WHERE w_id = in_w AND c_w_id = in_w AND c_d_id = in_d AND c_id = in_c;
    INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
    VALUES (out_order, in_d, in_w, in_c, in_at, NULL, lines, in_all_local);
    INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (out_order, in_d, in_w);
    out_numbers := '{}';
    LOOP
        WITH s AS (
            UPDATE stock SET
                s_quantity = CASE WHEN s_quantity >= quantity + 10 THEN s_quantity - quantity ELSE s_quantity - quantity + 91 END,
                s_ytd = s_ytd + quantity, s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + (supply <> in_w)::int
            FROM unnest(in_numbers[first:last], in_items[first:last], in_supplies[first:last], in_quantities[first:last])
                AS line (number, item, supply, quantity) JOIN item ON i_id = item
            WHERE s_w_id = supply AND s_i_id = item
            RETURNING number, item, supply, quantity, i_price, i_name, s_quantity,
                CASE WHEN strpos(i_data, 'ORIGINAL') > 0 AND strpos(s_data, 'ORIGINAL') > 0 THEN 'B' ELSE 'G' END AS brand,
                CASE in_d WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05
                    WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 ELSE s_dist_10 END AS dist),
        l AS (
            INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity,
                ol_amount, ol_dist_info)
            SELECT out_order, in_d, in_w, number, item, supply, NULL, quantity, quantity * i_price, dist FROM s)
        SELECT array_agg(number), array_agg(i_price), array_agg(i_name::text), array_agg(s_quantity), array_agg(brand) FROM s
        INTO round_numbers, round_prices, round_names, round_stocks, round_brands;
        out_numbers := out_numbers || round_numbers;
        out_prices := out_prices || round_prices;
        out_names := out_names || round_names;
        out_stocks := out_stocks || round_stocks;
        out_brands := out_brands || round_brands;
        EXIT WHEN last >= lines;
        first := last + 1;
        last := first;
    END LOOP;
    IF cardinality(out_numbers) < lines THEN
        -- "Item number is not valid": everything above is undone.
        ROLLBACK;
        out_order := NULL;
    END IF;
END $$;

-- By number, or by name where in_name is given.
CREATE OR REPLACE FUNCTION tpcc_payment(
    in_w int, in_d int, in_c_w int, in_c_d int, in_c int, in_name text, in_amount numeric, in_at timestamp,
    OUT out_c int, OUT out_balance numeric, OUT out_data text, OUT out_first text, OUT out_middle text, OUT out_last text,
    OUT out_street_1 text, OUT out_street_2 text, OUT out_city text, OUT out_state text, OUT out_zip text, OUT out_phone text,
    OUT out_since timestamp, OUT out_credit text, OUT out_credit_lim numeric, OUT out_discount numeric,
    OUT out_w_name text, OUT out_w_street_1 text, OUT out_w_street_2 text, OUT out_w_city text, OUT out_w_state text, OUT out_w_zip text,
    OUT out_d_name text, OUT out_d_street_1 text, OUT out_d_street_2 text, OUT out_d_city text, OUT out_d_state text, OUT out_d_zip text)
LANGUAGE plpgsql AS $$
BEGIN
    out_c := in_c;
    IF in_name IS NOT NULL THEN
        SELECT (array_agg(c_id ORDER BY c_first, c_id))[(count(*) + 1) / 2] INTO out_c
        FROM customer WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_last = in_name;
    END IF;
    UPDATE customer SET
        c_balance = c_balance - in_amount, c_ytd_payment = c_ytd_payment + in_amount, c_payment_cnt = c_payment_cnt + 1,
        c_data = CASE c_credit WHEN 'BC'
            THEN left(concat_ws(' ', c_id, c_d_id, c_w_id, in_d, in_w, in_amount) || '|' || c_data, 500) ELSE c_data END
    WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_id = out_c
    RETURNING c_balance, CASE c_credit WHEN 'BC' THEN left(c_data, 200) END, c_first, c_middle, c_last, c_street_1, c_street_2, c_city,
        c_state, c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount
    INTO STRICT out_balance, out_data, out_first, out_middle, out_last, out_street_1, out_street_2, out_city,
        out_state, out_zip, out_phone, out_since, out_credit, out_credit_lim, out_discount;
    UPDATE district SET d_ytd = d_ytd + in_amount WHERE d_w_id = in_w AND d_id = in_d
    RETURNING d_name, d_street_1, d_street_2, d_city, d_state, d_zip
    INTO STRICT out_d_name, out_d_street_1, out_d_street_2, out_d_city, out_d_state, out_d_zip;
    UPDATE warehouse SET w_ytd = w_ytd + in_amount WHERE w_id = in_w
    RETURNING w_name, w_street_1, w_street_2, w_city, w_state, w_zip
    INTO STRICT out_w_name, out_w_street_1, out_w_street_2, out_w_city, out_w_state, out_w_zip;
    INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    VALUES (out_c, in_c_d, in_c_w, in_d, in_w, in_at, in_amount, out_w_name || '    ' || out_d_name);
END $$;

CREATE OR REPLACE FUNCTION tpcc_order_status_by_id(int, int, int)
RETURNS TABLE (customer int, balance numeric, number int, carrier int, item int, supply int, quantity int, amount numeric, delivered boolean,
    delivery_d timestamp, entry_d timestamp, first_name varchar, middle char, last_name varchar)
LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN QUERY {ORDER_STATUS_BY_ID}; END $$;

CREATE OR REPLACE FUNCTION tpcc_order_status_by_name(int, int, text)
RETURNS TABLE (customer int, balance numeric, number int, carrier int, item int, supply int, quantity int, amount numeric, delivered boolean,
    delivery_d timestamp, entry_d timestamp, first_name varchar, middle char, last_name varchar)
LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN QUERY {ORDER_STATUS_BY_NAME}; END $$;

CREATE OR REPLACE FUNCTION tpcc_delivery(int, int, timestamp) RETURNS TABLE (out_district int, out_order int)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(541415493, $1);
    RETURN QUERY {DELIVER};
END $$;

CREATE OR REPLACE FUNCTION tpcc_stock_level(int, int, int) RETURNS int
LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN ({STOCK_LEVEL}); END $$;
