import AsyncHTTPClient
import Foundation
import GatehouseWire
import NIOCore
import NIOHTTP1

/// A real browser: headless Chromium with its driver (W3C WebDriver), from Debian's packages.
final class WebDriver: Sendable {
    /// Set by `make test-browser`: the driver's path.
    static let path = ProcessInfo.processInfo.environment["GATEHOUSE_CHROMEDRIVER"]

    private let driver: Command
    private let base: String
    private let session: String

    private init(driver: Command, base: String, session: String) {
        self.driver = driver
        self.base = base
        self.session = session
    }

    struct Failure: Error {
        let text: String
    }

    /// Starts the driver. It takes a free port of IPv4 and exits when the same port of IPv6 is in use, so it is started again then.
    private static func start(_ path: String, in folder: URL) async throws -> (Command, port: String) {
        var said: [String] = []
        for _ in 0..<10 {
            let command = try Command(["--port=0"], in: folder, executable: path)
            for await line in command.lines {
                said.append(line)
                guard let range = line.range(of: "successfully on port ") else { continue }
                return (command, String(line[range.upperBound...].prefix { $0.isNumber }))
            }
        }
        throw Failure(text: "the driver does not start: \(said.joined(separator: " "))")
    }

    /// Runs a test with a browser.
    ///
    /// - Parameters:
    ///   - isScripted: whether pages may run scripts. A test's own scripts always run.
    ///   - language: the browser's.
    static func run(
        in folder: URL, isScripted: Bool = true, language: String = "en",
        _ test: @Sendable (WebDriver) async throws -> Void
    ) async throws {
        guard let path else { throw Failure(text: "no driver") }
        let (command, port) = try await start(path, in: folder)
        let base = "http://127.0.0.1:\(port)"
        let arguments: [JSONValue] = [
            "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--window-size=900,700",
            .string("--user-data-dir=\(folder.appendingPathComponent("chromium").path)"),
            .string("--lang=\(language)"),
        ]
        // The contents of 2 are those that are blocked.
        let preferences: JSONValue = [
            "profile.managed_default_content_settings.javascript": isScripted ? 1 : 2,
            "intl.accept_languages": .string(language),
        ]
        let answer = try await send(
            "POST", "\(base)/session",
            [
                "capabilities": [
                    "alwaysMatch": [
                        "browserName": "chrome",
                        "goog:chromeOptions": ["args": .array(arguments), "prefs": preferences],
                        "goog:loggingPrefs": ["browser": "ALL"],
                    ]
                ]
            ])
        guard case .object(let value) = answer, let session = value["sessionId"]?.stringValue else {
            throw Failure(text: "no session")
        }
        let driver = WebDriver(driver: command, base: "\(base)/session/\(session)", session: session)
        do {
            try await test(driver)
            try await driver.end()
        } catch {
            try? await driver.end()
            throw error
        }
    }

    private func end() async throws {
        _ = try? await Self.send("DELETE", base)
        driver.signal(SIGTERM)
        _ = await driver.status()
    }

    func open(_ url: URL) async throws { _ = try await post("url", ["url": .string(url.absoluteString)]) }
    /// Opens a page in a browser without logins at the page's host, as in a private session.
    func openForgetting(_ url: URL) async throws {
        try await forget(url)
        try await open(url)
    }

    /// Deletes the cookies of a page's host.
    func forget(_ url: URL) async throws {
        guard let page = URL(string: "/robots.txt", relativeTo: url)?.absoluteURL else { throw Failure(text: "no URL") }
        try await open(page)
        _ = try await Self.send("DELETE", "\(base)/cookie")
    }

    func back() async throws { _ = try await post("back", [:]) }
    func title() async throws -> String { try await Self.send("GET", "\(base)/title").stringValue ?? "" }
    func url() async throws -> String { try await Self.send("GET", "\(base)/url").stringValue ?? "" }

    /// Runs a function's body in the page, which its policy does not stop, and returns its result.
    @discardableResult
    func script(_ body: String) async throws -> JSONValue {
        try await post("execute/sync", ["script": .string(body), "args": []])
    }

    /// The same for a function that calls its last argument with its result.
    func asynchronous(_ body: String) async throws -> JSONValue {
        try await post("execute/async", ["script": .string(body), "args": []])
    }

    /// What pages have written to the browser's console since the last look, errors of the page's policy among it.
    func complaints() async throws -> [String] {
        guard case .array(let entries) = try await post("se/log", ["type": "browser"]) else { return [] }
        return entries.compactMap { entry in
            guard case .object(let entry) = entry, ["SEVERE", "WARNING"].contains(entry["level"]?.stringValue) else {
                return nil
            }
            return entry["message"]?.stringValue
        }
    }

    func resize(_ width: Int, _ height: Int) async throws {
        _ = try await post("window/rect", ["width": .integer(Int64(width)), "height": .integer(Int64(height))])
    }

    /// Gives a page's media features other values, such as `prefers-color-scheme`.
    func prefer(_ scheme: String) async throws {
        _ = try await post(
            "goog/cdp/execute",
            [
                "cmd": "Emulation.setEmulatedMedia",
                "params": [
                    "features": [
                        ["name": "prefers-color-scheme", "value": .string(scheme)],
                        // What changes slowly would be measured half-way.
                        ["name": "prefers-reduced-motion", "value": "reduce"],
                    ]
                ],
            ])
    }

    /// Shows pages in a window of this size, however small it is.
    func show(width: Int, height: Int) async throws {
        _ = try await post(
            "goog/cdp/execute",
            [
                "cmd": "Emulation.setDeviceMetricsOverride",
                "params": [
                    "width": .integer(Int64(width)), "height": .integer(Int64(height)), "deviceScaleFactor": 1,
                    "mobile": false,
                ],
            ])
    }

    /// Closes the window, and continues in a new one.
    func close() async throws {
        let handle = try await post("window/new", ["type": "window"])
        _ = try await Self.send("DELETE", "\(base)/window")
        guard case .object(let value) = handle, let name = value["handle"] else { throw Failure(text: "no window") }
        _ = try await post("window", ["handle": name])
    }

    /// Waits for the element, and clicks on it.
    func click(_ selector: String) async throws {
        let element = try await find(selector)
        _ = try await post("element/\(element)/click", [:])
    }

    /// Waits for the field, and types into it.
    func type(_ text: String, into selector: String) async throws {
        let element = try await find(selector)
        _ = try await post("element/\(element)/value", ["text": .string(text)])
    }

    /// Presses keys one after the other, wherever the focus is. Keys without a letter have WebDriver's own code points.
    func press(_ keys: String) async throws {
        let actions = keys.unicodeScalars.flatMap { key in
            ["keyDown", "keyUp"].map { ["type": .string($0), "value": .string(String(key))] as JSONValue }
        }
        _ = try await post(
            "actions", ["actions": [["type": "key", "id": "keyboard", "actions": .array(actions)]]])
    }

    /// Waits until the page's address has a part.
    func wait(forAddress part: String) async throws {
        for _ in 0..<200 {
            if try await url().contains(part) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Failure(text: "the page is \(try await url()) and not \(part)")
    }

    /// The page as it is printed, as a PDF on A4.
    func print() async throws -> Data {
        let options: JSONValue = ["page": ["width": 21, "height": 29.7]]
        guard let text = try await post("print", options).stringValue, let data = Data(base64Encoded: text) else {
            throw Failure(text: "no PDF")
        }
        return data
    }

    /// Waits until the page has a title.
    func wait(forTitle title: String) async throws {
        for _ in 0..<200 {
            if try await self.title() == title { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Failure(text: "the page is \(try await self.title()) and not \(title)")
    }

    func text(of selector: String) async throws -> String {
        let element = try await find(selector)
        return try await Self.send("GET", "\(base)/element/\(element)/text").stringValue ?? ""
    }

    /// The computed style property of an element.
    func style(_ selector: String, _ property: String) async throws -> String {
        let element = try await find(selector)
        return try await Self.send("GET", "\(base)/element/\(element)/css/\(property)").stringValue ?? ""
    }

    /// Saves a screenshot of the page, if a folder for it is configured.
    func picture(_ name: String) async throws {
        guard let folder = ProcessInfo.processInfo.environment["GATEHOUSE_SCREENSHOTS"] else { return }
        try await screenshot().write(to: URL(fileURLWithPath: folder).appendingPathComponent("\(name).png"))
    }

    /// A picture of what the window shows, as PNG.
    func screenshot() async throws -> Data {
        guard let text = try await Self.send("GET", "\(base)/screenshot").stringValue,
            let data = Data(base64Encoded: text)
        else { throw Failure(text: "no picture") }
        return data
    }

    private func find(_ selector: String) async throws -> String {
        for _ in 0..<200 {
            let found = try? await post("element", ["using": "css selector", "value": .string(selector)])
            if case .object(let value)? = found, let id = value.values.first?.stringValue { return id }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Failure(text: "no \(selector) on the page \(try await title())")
    }

    private func post(_ path: String, _ body: JSONValue) async throws -> JSONValue {
        try await Self.send("POST", "\(base)/\(path)", body)
    }

    private static func send(_ method: String, _ url: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        var request = HTTPClientRequest(url: url)
        request.method = .RAW(value: method)
        request.headers.add(name: "Content-Type", value: "application/json")
        if let body { request.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(body))) }
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let bytes = try await answer.body.collect(upTo: 1 << 24)
        let document = try JSONDecoder().decode([String: JSONValue].self, from: Data(bytes.readableBytesView))
        let value = document["value"] ?? .null
        guard answer.status == .ok else { throw Failure(text: "\(value)") }
        return value
    }
}
