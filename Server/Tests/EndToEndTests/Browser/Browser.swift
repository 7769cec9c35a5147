import Foundation
import GatehouseWire
import TestDatabases
import Testing

/// A kind of browser, from Debian's packages.
enum Browser: String, Sendable, CustomTestStringConvertible {
    case chromium
    case firefox

    /// Set by `make test-browser`: the path of Firefox, which needs no driver besides.
    static let firefoxPath = ProcessInfo.processInfo.environment["GATEHOUSE_FIREFOX"].flatMap { $0.isEmpty ? nil : $0 }

    /// Whether tests fail without Firefox.
    static let requiresFirefox = firefoxPath != nil || ProcessInfo.processInfo.environment["CI"] != nil

    /// The browsers of this machine. A test of its own says when Firefox is missing.
    static let available: [Browser] = firefoxPath == nil ? [.chromium] : [.chromium, .firefox]

    var testDescription: String { rawValue }

    func start(_ options: BrowserOptions, in folder: URL) async throws -> any BrowserConnection {
        switch self {
        case .chromium: try await Chromium.start(options, in: folder)
        case .firefox: try await Firefox.start(options, in: folder)
        }
    }
}

/// What a browser has set before its first page.
struct BrowserOptions: Sendable {
    /// Whether pages may run scripts. A test's own scripts always run.
    var isScripted = true
    var language = "en"

    /// How long a page may load and a test's script may run, in milliseconds.
    static let limits: JSONValue = [
        "pageLoad": .integer(Patience.seconds * 1_000), "script": .integer(Patience.seconds * 1_000),
    ]
}

/// The way to a running browser. One command is carried out after another.
protocol BrowserConnection: Sendable {
    func send(_ command: BrowserCommand) async throws -> JSONValue

    /// What pages have written to the browser's console since the last look, errors of the page's policy among it.
    func complaints() async throws -> [String]

    /// Gives `prefers-color-scheme` another value.
    func prefer(_ scheme: String) async throws

    /// Asks servers for pages in this language from now on.
    func ask(for language: String) async throws

    /// Shows pages in a window of this size.
    func show(width: Int, height: Int) async throws

    /// Ends the browser's processes, whatever state they are in.
    func end() async
}

extension BrowserConnection {
    /// Runs a test, and ends the browser however the test ends.
    func use<Value>(_ test: (WebDriver) async throws -> Value) async throws -> Value {
        let result: Result<Value, any Error>
        do {
            result = .success(try await test(WebDriver(self)))
        } catch {
            result = .failure(error)
        }
        await end()
        return try result.get()
    }
}
