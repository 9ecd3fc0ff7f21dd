//! A browser without a window, driven through WebDriver as a person would use it: pages, clicks, the console,
//! the requests of a page.
//!
//! One browser is one process tree of the test that started it; it ends with the value.

mod driver;
mod wire;

use std::path::Path;

use serde_json::{Value, json};

use driver::Driver;

/// The limit of every wait inside of a page, ms.
const WAIT_LIMIT_MS: u64 = 240_000;
/// Severe entries of the console: errors of scripts, and loads that failed.
const SEVERE: &str = "SEVERE";

/// A running browser with one page.
#[derive(Debug)]
pub struct Browser {
    driver: Driver,
    /// The path of the session's commands.
    session: String,
}

impl Browser {
    /// Starts a browser of its own in `profile`, a folder of the test; `None` where chromium or its driver is
    /// missing, which is counted as a skip.
    ///
    /// # Panics
    /// When the browser does not start.
    #[track_caller]
    pub fn start(profile: &Path) -> Option<Self> {
        let chromium = crate::need::program("chromium")?;
        let program = crate::need::program("chromedriver")?;
        let driver = Driver::start(&program);
        let options = json!({
            "binary": chromium,
            "args": [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--hide-scrollbars", format!("--user-data-dir={}", profile.display()),
            ],
        });
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
            "timeouts": { "script": WAIT_LIMIT_MS, "pageLoad": WAIT_LIMIT_MS },
        } } });
        let begun = driver.ask("POST", "/session", &wanted);
        let id = begun["sessionId"].as_str().unwrap_or_else(|| panic!("no session: {begun}"));
        Some(Self { session: format!("/session/{id}"), driver })
    }

    fn post(&self, command: &str, data: &Value) -> Value {
        self.driver.ask("POST", &format!("{}/{command}", self.session), data)
    }

    /// Opens an address and waits until the page has loaded.
    pub fn open(&self, address: &str) {
        self.post("url", &json!({ "url": address }));
    }

    /// The value that the body of a function returns in the page.
    pub fn run(&self, script: &str) -> Value {
        self.post("execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Waits in the page until an expression is true, and returns its value.
    ///
    /// # Panics
    /// When it is not true within a minute: with the text of the page.
    pub fn wait_for(&self, expression: &str) -> Value {
        let script = format!(
            "const [tell, begun] = [arguments[0], performance.now()];
             const look = async () => {{
                 let value;
                 try {{ value = await ({expression}); }} catch (error) {{ value = null; }}
                 if (value) tell({{ value }});
                 else if (performance.now() - begun > {}) tell({{ text: document.body.innerText }});
                 else setTimeout(look, 50);
             }};
             look();",
            WAIT_LIMIT_MS / 2
        );
        let found = self.post("execute/async", &json!({ "script": script, "args": [] }));
        assert!(found["text"].is_null(), "`{expression}` did not come true on:\n{}", found["text"]);
        found["value"].clone()
    }

    /// Clicks the first element that a CSS selector finds.
    pub fn click(&self, selector: &str) {
        let found = self.post("element", &json!({ "using": "css selector", "value": selector }));
        let id = found.as_object().and_then(|element| element.values().next()).and_then(Value::as_str);
        let id = id.unwrap_or_else(|| panic!("`{selector}` finds no element: {found}"));
        self.post(&format!("element/{id}/click"), &json!({}));
    }

    /// Lets pages do without a question what the browser asks its user for, for example `clipboard-read`.
    pub fn grant(&self, permission: &str) {
        self.post("permissions", &json!({ "descriptor": { "name": permission }, "state": "granted" }));
    }

    /// A command of the developer tools' protocol, for example `Emulation.setDeviceMetricsOverride`.
    pub fn tool(&self, command: &str, parameters: &Value) -> Value {
        self.post("goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// The severe entries of the console since the last call.
    pub fn complaints(&self) -> Vec<String> {
        let entries = self.post("se/log", &json!({ "type": "browser" }));
        let entries = entries.as_array().into_iter().flatten();
        let severe = entries.filter(|entry| entry["level"] == SEVERE);
        severe.filter_map(|entry| entry["message"].as_str().map(str::to_owned)).collect()
    }

    /// The addresses that the pages asked for since the last call. Data in the page itself, and the browser's
    /// own pages, are left out.
    pub fn requests(&self) -> Vec<String> {
        let entries = self.post("se/log", &json!({ "type": "performance" }));
        let entries = entries.as_array().into_iter().flatten();
        let events = entries.filter_map(|entry| serde_json::from_str(entry["message"].as_str()?).ok());
        let sent = events.filter(|event: &Value| event["message"]["method"] == "Network.requestWillBeSent");
        let address = |event: Value| Some(event["message"]["params"]["request"]["url"].as_str()?.to_owned());
        let is_inside = |address: &String| address.starts_with("data:") || address.starts_with("chrome:");
        sent.filter_map(address).filter(|address| !is_inside(address)).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.driver.try_to_ask("DELETE", &self.session);
    }
}
