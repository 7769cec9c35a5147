import AsyncHTTPClient
import Foundation
import GatehouseWire
import NIOCore
import NIOHTTP1

/// Headless Chromium with its driver.
struct Chromium: BrowserConnection {
    /// Set by `make test-browser`: the driver's path.
    static let driverPath = ProcessInfo.processInfo.environment["GATEHOUSE_CHROMEDRIVER"]

    private let driver: Command
    /// The session's address at the driver.
    private let session: String

    static func start(_ options: BrowserOptions, in folder: URL) async throws -> any BrowserConnection {
        guard let driverPath else { throw WebDriver.Failure(text: "no driver") }
        let (driver, port) = try await startDriver(driverPath, in: folder)
        let sessions = "http://127.0.0.1:\(port)/session"
        let answer = try await post(sessions, capabilities(options, in: folder))
        guard let session = answer.objectValue?["sessionId"]?.stringValue else {
            throw WebDriver.Failure(text: "no session")
        }
        return Chromium(driver: driver, session: "\(sessions)/\(session)")
    }

    /// Starts the driver. It takes a free port of IPv4 and exits when the same port of IPv6 is in use, so it is started again then.
    private static func startDriver(_ path: String, in folder: URL) async throws -> (Command, port: String) {
        var said: [String] = []
        for _ in 0..<10 {
            let command = try Command(["--port=0"], in: folder, executable: path)
            for await line in command.lines {
                said.append(line)
                guard let range = line.range(of: "successfully on port ") else { continue }
                return (command, String(line[range.upperBound...].prefix { $0.isNumber }))
            }
        }
        throw WebDriver.Failure(text: "the driver does not start: \(said.joined(separator: " "))")
    }

    private static func capabilities(_ options: BrowserOptions, in folder: URL) -> JSONValue {
        let arguments: [JSONValue] = [
            "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--window-size=900,700",
            .string("--user-data-dir=\(folder.appendingPathComponent("chromium").path)"),
            .string("--lang=\(options.language)"),
        ]
        // The contents of 2 are those that are blocked.
        let preferences: JSONValue = [
            "profile.managed_default_content_settings.javascript": options.isScripted ? 1 : 2,
            "intl.accept_languages": .string(options.language),
        ]
        return [
            "capabilities": [
                "alwaysMatch": [
                    "browserName": "chrome",
                    "timeouts": BrowserOptions.limits,
                    "goog:chromeOptions": ["args": .array(arguments), "prefs": preferences],
                    "goog:loggingPrefs": ["browser": "ALL"],
                ]
            ]
        ]
    }

    func send(_ command: BrowserCommand) async throws -> JSONValue {
        try await Self.send(
            command.method, "\(session)/\(command.path)", command.method == "POST" ? .object(command.parameters) : nil)
    }

    func complaints() async throws -> [String] {
        let entries = try await Self.post("\(session)/se/log", ["type": "browser"]).arrayValue ?? []
        return entries.compactMap { entry in
            guard let entry = entry.objectValue, ["SEVERE", "WARNING"].contains(entry["level"]?.stringValue) else {
                return nil
            }
            return entry["message"]?.stringValue
        }
    }

    func prefer(_ scheme: String) async throws {
        try await inspect(
            "Emulation.setEmulatedMedia",
            [
                "features": [
                    ["name": "prefers-color-scheme", "value": .string(scheme)],
                    // What changes slowly would be measured half-way.
                    ["name": "prefers-reduced-motion", "value": "reduce"],
                ]
            ])
    }

    func ask(for language: String) async throws {
        try await inspect("Network.enable", [:])
        try await inspect("Network.setExtraHTTPHeaders", ["headers": ["Accept-Language": .string(language)]])
    }

    func show(width: Int, height: Int) async throws {
        try await inspect(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .integer(Int64(width)), "height": .integer(Int64(height)), "deviceScaleFactor": 1,
                "mobile": false,
            ])
    }

    /// Calls Chromium's own protocol for developers.
    private func inspect(_ command: String, _ parameters: JSONValue) async throws {
        _ = try await Self.post("\(session)/goog/cdp/execute", ["cmd": .string(command), "params": parameters])
    }

    func end() async {
        _ = try? await Self.send("DELETE", session, nil)
        driver.signal(SIGTERM)
        _ = await driver.status()
    }

    private static func post(_ url: String, _ body: JSONValue) async throws -> JSONValue {
        try await send("POST", url, body)
    }

    private static func send(_ method: String, _ url: String, _ body: JSONValue?) async throws -> JSONValue {
        var request = HTTPClientRequest(url: url)
        request.method = .RAW(value: method)
        request.headers.add(name: "Content-Type", value: "application/json")
        if let body { request.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(body))) }
        // The driver has limits of its own, which are shorter, and says what took so long.
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(300))
        let bytes = try await answer.body.collect(upTo: 1 << 24)
        let document = try JSONDecoder().decode([String: JSONValue].self, from: Data(bytes.readableBytesView))
        let value = document["value"] ?? .null
        guard answer.status == .ok else { throw WebDriver.Failure(text: "\(value)") }
        return value
    }
}
