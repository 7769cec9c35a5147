import Foundation
import GatehouseWire
import TestDatabases

/// A real browser, driven by W3C WebDriver's commands.
final class WebDriver: Sendable {
    /// Set by `make test-browser`.
    static let path = Chromium.driverPath

    private let connection: any BrowserConnection

    init(_ connection: any BrowserConnection) {
        self.connection = connection
    }

    struct Failure: Error {
        let text: String

        /// Whether the element has gone with its page, or is hidden while the page asks for something. Firefox may also say that there is no
        /// such element.
        var isOfLostElement: Bool {
            ["stale element reference", "no such element", "element not interactable"].contains { text.contains($0) }
        }
    }

    /// Runs a test with a browser.
    ///
    /// - Parameters:
    ///   - isScripted: whether pages may run scripts. A test's own scripts always run.
    ///   - language: the browser's.
    static func run(
        in folder: URL, browser: Browser = .chromium, isScripted: Bool = true, language: String = "en",
        _ test: @Sendable (WebDriver) async throws -> Void
    ) async throws {
        let options = BrowserOptions(isScripted: isScripted, language: language)
        try await browser.start(options, in: folder).use(test)
    }

    func open(_ url: URL) async throws { _ = try await send(.open(url.absoluteString)) }
    /// Opens a page in a browser without logins at the page's host, as in a private session.
    func openForgetting(_ url: URL) async throws {
        try await forget(url)
        try await open(url)
    }

    /// Deletes the cookies of a page's host.
    func forget(_ url: URL) async throws {
        guard let page = URL(string: "/robots.txt", relativeTo: url)?.absoluteURL else { throw Failure(text: "no URL") }
        try await open(page)
        _ = try await send(.deleteCookies)
    }

    func back() async throws { _ = try await send(.back) }
    func title() async throws -> String { try await send(.title).stringValue ?? "" }
    func url() async throws -> String { try await send(.url).stringValue ?? "" }

    /// Runs a function's body in the page, which its policy does not stop, and returns its result.
    @discardableResult
    func script(_ body: String) async throws -> JSONValue {
        try await send(.script(body))
    }

    /// The same for a function that calls its last argument with its result.
    func asynchronous(_ body: String) async throws -> JSONValue {
        try await send(.asynchronousScript(body))
    }

    /// What pages have written to the browser's console since the last look, errors of the page's policy among it.
    func complaints() async throws -> [String] { try await connection.complaints() }

    func resize(_ width: Int, _ height: Int) async throws { _ = try await send(.resize(width, height)) }

    /// Gives a page's media features other values, such as `prefers-color-scheme`.
    func prefer(_ scheme: String) async throws { try await connection.prefer(scheme) }

    /// Asks servers for pages in this language from now on.
    func ask(for language: String) async throws { try await connection.ask(for: language) }

    /// Shows pages in a window of this size. Chromium's may be however small.
    func show(width: Int, height: Int) async throws { try await connection.show(width: width, height: height) }

    /// Closes the window, and continues in a new one.
    func close() async throws {
        let window = try await newWindow()
        _ = try await send(.closeWindow)
        _ = try await send(.switchTo(window))
    }

    /// Does something in a second window, which is closed afterwards.
    func inNewWindow(_ body: () async throws -> Void) async throws {
        guard let own = try await send(.window).stringValue else { throw Failure(text: "no window") }
        _ = try await send(.switchTo(try await newWindow()))
        try await body()
        _ = try await send(.closeWindow)
        _ = try await send(.switchTo(own))
    }

    private func newWindow() async throws -> String {
        guard let name = try await send(.newWindow).objectValue?["handle"]?.stringValue else {
            throw Failure(text: "no window")
        }
        return name
    }

    /// Waits for the element, and clicks on it.
    func click(_ selector: String) async throws {
        _ = try await act(on: selector) { .click($0) }
    }

    /// Waits for the field, and types into it.
    func type(_ text: String, into selector: String) async throws {
        _ = try await act(on: selector) { .type(text, $0) }
    }

    /// Presses keys one after the other, wherever the focus is. Keys without a letter have WebDriver's own code points.
    func press(_ keys: String, holding held: String? = nil) async throws {
        _ = try await send(.press(keys, holding: held))
    }

    /// Waits until the page's address has a part.
    func wait(forAddress part: String) async throws {
        try await wait(for: "address with \(part)") { try await url().contains(part) }
    }

    /// The page as it is printed, as a PDF on A4.
    func print() async throws -> Data {
        let printed = try await send(.print(widthCentimetres: 21, height: 29.7)).stringValue
        guard let data = printed.flatMap({ Data(base64Encoded: $0) }) else { throw Failure(text: "no PDF") }
        return data
    }

    /// Waits until the page has a title.
    func wait(forTitle title: String) async throws {
        try await wait(for: "page '\(title)'") { try await self.title() == title }
    }

    /// Waits until an element of the page has a text.
    func wait(forText text: String, in selector: String) async throws {
        try await wait(for: "'\(text)' in \(selector)") { try await self.text(of: selector).contains(text) }
    }

    func text(of selector: String) async throws -> String {
        try await act(on: selector) { .text($0) }.stringValue ?? ""
    }

    /// The computed style property of an element.
    func style(_ selector: String, _ property: String) async throws -> String {
        try await act(on: selector) { .style($0, property) }.stringValue ?? ""
    }

    /// Saves a screenshot of the page, if a folder for it is configured.
    func picture(_ name: String) async throws {
        guard let folder = ProcessInfo.processInfo.environment["GATEHOUSE_SCREENSHOTS"] else { return }
        try await screenshot().write(to: URL(fileURLWithPath: folder).appendingPathComponent("\(name).png"))
    }

    /// A picture of what the window shows, as PNG.
    func screenshot() async throws -> Data {
        guard let text = try await send(.screenshot).stringValue,
            let data = Data(base64Encoded: text)
        else { throw Failure(text: "no picture") }
        return data
    }

    /// Waits until a look at the page finds what the test expects. The failure says which page there is instead.
    func wait(for what: String, until isThere: () async throws -> Bool) async throws {
        do {
            try await eventually(what, isThere)
        } catch let end as TestDatabaseError {
            throw Failure(text: "\(end.description) The page is '\(try await title())' at \(try await url()).")
        }
    }

    /// Finds the element and does something to it. A page that is just being replaced takes its elements with it, so both are one step,
    /// which is repeated on the next page.
    private func act(on selector: String, _ command: (String) -> BrowserCommand) async throws -> JSONValue {
        var result = JSONValue.null
        try await wait(for: selector) {
            let found = try? await send(.find(selector))
            guard let id = found?.objectValue?.values.first?.stringValue else { return false }
            do {
                result = try await send(command(id))
                return true
            } catch let failure as Failure where failure.isOfLostElement {
                return false
            }
        }
        return result
    }

    private func send(_ command: BrowserCommand) async throws -> JSONValue { try await connection.send(command) }
}
