import GatehouseWire
import Synchronization
import Testing

/// What a person does at a page, counted: a click is one step, and so is a field, however much is typed into it.
final class ConsoleHand: Sendable {
    private let driver: WebDriver
    private let count = Mutex(0)

    init(_ driver: WebDriver) {
        self.driver = driver
    }

    var steps: Int { count.withLock { $0 } }

    func reset() { count.withLock { $0 = 0 } }

    private func note() { count.withLock { $0 += 1 } }

    func click(_ selector: String) async throws {
        note()
        try await driver.click(selector)
    }

    func fill(_ selector: String, _ text: String) async throws {
        note()
        try await driver.type(text, into: selector)
    }

    /// Takes an option of a field.
    func choose(_ selector: String, _ value: String) async throws {
        note()
        try await driver.click("\(selector) option[value=\"\(value)\"]")
    }

    /// Types into the box that every page has, and presses *Enter*.
    func find(_ text: String) async throws {
        try await fill("#find", "\(text)\u{e007}")
    }

    /// The reason, and the button that does it; then the result line.
    func confirm(_ reason: String, ending: String = ".will .buttons button") async throws -> String {
        try await fill("#f-reason", reason)
        try await click(ending)
        return try await driver.text(of: "p.notice.good")
    }
}
