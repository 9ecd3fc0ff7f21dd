//! Addresses of database servers: what is taken names a user, a database and a place that can be connected
//! to.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    for endpoint in database::fuzzing::addresses(text) {
        assert!(!endpoint.user.is_empty() && !endpoint.database.is_empty() && endpoint.port > 0);
        for word in [&endpoint.user, &endpoint.database, &endpoint.host] {
            assert!(!word.contains('\0'), "{word:?} would end early");
        }
        match &endpoint.socket {
            Some(socket) => {
                assert!(socket.is_absolute() && !socket.as_os_str().as_encoded_bytes().contains(&0), "{socket:?}");
            }
            None => assert!(!endpoint.host.is_empty()),
        }
    }
});
