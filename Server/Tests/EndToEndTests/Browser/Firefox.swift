import Foundation
import GatehouseWire

/// Headless Firefox, by its own protocol: Debian has no geckodriver.
struct Firefox: BrowserConnection {
    private let process: Command
    private let marionette: Marionette

    static func start(_ options: BrowserOptions, in folder: URL) async throws -> any BrowserConnection {
        guard let path = Browser.firefoxPath else { throw WebDriver.Failure(text: "no Firefox") }
        let profile = folder.appendingPathComponent("firefox")
        try FileManager.default.createDirectory(at: profile, withIntermediateDirectories: true)
        try preferences(options).write(
            to: profile.appendingPathComponent("user.js"), atomically: true, encoding: .utf8)
        let process = try Command(
            [
                "--headless", "--no-remote", "--profile", profile.path, "--marionette",
                // The browser's console, and whether pages run scripts, are reached from the browser's own code alone.
                "--remote-allow-system-access",
            ], in: folder, executable: path)
        var said: [String] = []
        for await line in process.lines {
            said.append(line)
            guard let range = line.range(of: "Listening on port "), let port = Int(line[range.upperBound...]) else {
                continue
            }
            let firefox = Firefox(process: process, marionette: try await Marionette(port: port))
            try await firefox.begin(options)
            return firefox
        }
        throw WebDriver.Failure(text: "Firefox does not start: \(said.joined(separator: " "))")
    }

    /// Marionette sets by itself what keeps a browser from the network and from asking.
    private static func preferences(_ options: BrowserOptions) -> String {
        """
        user_pref("marionette.port", 0);
        user_pref("intl.accept_languages", "\(options.language)");
        user_pref("ui.prefersReducedMotion", 1);
        user_pref("app.normandy.enabled", false);
        user_pref("browser.shell.checkDefaultBrowser", false);

        """
    }

    private func begin(_ options: BrowserOptions) async throws {
        _ = try await marionette.send(
            "WebDriver:NewSession", ["capabilities": ["alwaysMatch": ["timeouts": BrowserOptions.limits]]])
        if !options.isScripted {
            try await inBrowser("gBrowser.selectedBrowser.browsingContext.allowJavascript = false")
        }
        _ = try await complaints()
    }

    func send(_ command: BrowserCommand) async throws -> JSONValue {
        try await marionette.send("WebDriver:\(command.name)", command.parameters)
    }

    /// Runs a function's body in the browser's own code instead of in the page.
    @discardableResult
    private func inBrowser(_ body: String) async throws -> JSONValue {
        _ = try await marionette.send("Marionette:SetContext", ["value": "chrome"])
        let result: Result<JSONValue, any Error>
        do {
            result = .success(try await send(.script(body)))
        } catch {
            result = .failure(error)
        }
        _ = try await marionette.send("Marionette:SetContext", ["value": "content"])
        return try result.get()
    }

    func complaints() async throws -> [String] {
        // What the browser says of itself has a source of its own, and notes that are neither error nor warning have the flag 8.
        let messages = try await inBrowser(
            """
            const found = [];
            for (const message of Services.console.getMessageArray()) {
              if (!(message instanceof Ci.nsIScriptError) || message.flags & 8) continue;
              if (/^https?:/.test(message.sourceName) || /^CSP|^content/.test(message.category))
                found.push(message.category + ' ' + message.sourceName + ': ' + message.errorMessage);
            }
            Services.console.reset();
            return found;
            """)
        return WebDriver.strings(messages)
    }

    func prefer(_ scheme: String) async throws {
        // 0 is dark, 1 is light.
        try await inBrowser(
            "Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', \(scheme == "dark" ? 0 : 1))"
        )
    }

    func ask(for language: String) async throws {
        try await inBrowser("Services.prefs.setStringPref('intl.accept_languages', '\(language)')")
    }

    func show(width: Int, height: Int) async throws {
        _ = try await send(.resize(width, height))
        // The window has bars of its own around the page.
        let bars = try await send(.script("return [outerWidth - innerWidth, outerHeight - innerHeight]")).arrayValue
        let sizes = (bars ?? []).compactMap(\.integerValue)
        guard sizes.count == 2 else { throw WebDriver.Failure(text: "no size") }
        _ = try await send(.resize(width + Int(sizes[0]), height + Int(sizes[1])))
    }

    func end() async {
        let isQuitting = (try? await marionette.send("Marionette:Quit", ["flags": ["eForceQuit"]])) != nil
        if !isQuitting { process.signal(SIGKILL) }
        let patience = Task {
            try await Task.sleep(for: .seconds(20))
            process.signal(SIGKILL)
        }
        _ = await process.status()
        patience.cancel()
    }
}
