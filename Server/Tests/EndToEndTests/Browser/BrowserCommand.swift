import GatehouseWire

/// A command of W3C WebDriver. Chromium's driver gets it over HTTP, and Firefox by its name in Marionette.
struct BrowserCommand: Sendable {
    let method: String
    /// The path below the session's.
    let path: String
    /// The name in Marionette, after `WebDriver:`.
    let name: String
    let parameters: [String: JSONValue]

    init(_ method: String, _ path: String, _ name: String, _ parameters: [String: JSONValue] = [:]) {
        self.method = method
        self.path = path
        self.name = name
        self.parameters = parameters
    }
}

extension BrowserCommand {
    static let back = BrowserCommand("POST", "back", "Back")
    static let closeWindow = BrowserCommand("DELETE", "window", "CloseWindow")
    static let deleteCookies = BrowserCommand("DELETE", "cookie", "DeleteAllCookies")
    static let newWindow = BrowserCommand("POST", "window/new", "NewWindow", ["type": "window"])
    static let screenshot = BrowserCommand("GET", "screenshot", "TakeScreenshot", ["full": false])
    static let title = BrowserCommand("GET", "title", "GetTitle")
    static let url = BrowserCommand("GET", "url", "GetCurrentURL")
    static let window = BrowserCommand("GET", "window", "GetWindowHandle")

    static func open(_ url: String) -> Self { Self("POST", "url", "Navigate", ["url": .string(url)]) }

    static func find(_ selector: String) -> Self {
        Self("POST", "element", "FindElement", ["using": "css selector", "value": .string(selector)])
    }

    static func click(_ element: String) -> Self { ofElement("POST", element, "click", "ElementClick") }

    static func type(_ text: String, _ element: String) -> Self {
        ofElement("POST", element, "value", "ElementSendKeys", ["text": .string(text)])
    }

    static func text(_ element: String) -> Self { ofElement("GET", element, "text", "GetElementText") }

    static func style(_ element: String, _ property: String) -> Self {
        ofElement(
            "GET", element, "css/\(property)", "GetElementCSSValue", ["propertyName": .string(property)])
    }

    private static func ofElement(
        _ method: String, _ element: String, _ path: String, _ name: String, _ parameters: [String: JSONValue] = [:]
    ) -> Self {
        Self(method, "element/\(element)/\(path)", name, parameters.merging(["id": .string(element)]) { $1 })
    }

    static func script(_ body: String) -> Self {
        Self("POST", "execute/sync", "ExecuteScript", ["script": .string(body), "args": []])
    }

    static func asynchronousScript(_ body: String) -> Self {
        Self("POST", "execute/async", "ExecuteAsyncScript", ["script": .string(body), "args": []])
    }

    /// - Parameter held: a key that is held meanwhile, such as *Control*.
    static func press(_ keys: String, holding held: String? = nil) -> Self {
        func action(_ type: String, _ key: String) -> JSONValue { ["type": .string(type), "value": .string(key)] }
        let pressed = keys.unicodeScalars.flatMap { key in
            ["keyDown", "keyUp"].map { action($0, String(key)) }
        }
        let actions =
            (held.map { [action("keyDown", $0)] } ?? []) + pressed + (held.map { [action("keyUp", $0)] } ?? [])
        return Self(
            "POST", "actions", "PerformActions",
            ["actions": [["type": "key", "id": "keyboard", "actions": .array(actions)]]])
    }

    static func print(widthCentimetres width: Double, height: Double) -> Self {
        Self("POST", "print", "Print", ["page": ["width": .number(width), "height": .number(height)]])
    }

    static func resize(_ width: Int, _ height: Int) -> Self {
        Self(
            "POST", "window/rect", "SetWindowRect",
            ["width": .integer(Int64(width)), "height": .integer(Int64(height))])
    }

    static func switchTo(_ window: String) -> Self {
        Self("POST", "window", "SwitchToWindow", ["handle": .string(window)])
    }
}
