import Foundation
import Gatehouse
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseTesting
import GatehouseWire
import TestDatabases
import Testing

/// A person who has enrolled in the browser, and is signed in to the operator console.
struct ConsolePerson {
    static let password = "a quiet lake in winter"

    let server: LiveServer
    let driver: WebDriver
    let secret: TOTP
    let link: URL

    /// Runs a test with a server and with a person in a headless browser.
    ///
    /// - Parameters:
    ///   - isScripted: whether the console's pages may run their script.
    ///   - language: the browser's.
    ///   - grants: the person's roles by app; `*` is for every app and the server.
    ///   - showsEnrolment: whether the page of the invitation is a picture of the manual.
    ///   - prepare: what happens before the person enrols.
    static func run(
        in browser: Browser = .chromium, isScripted: Bool = true, language: String = "en",
        grants: [String: String] = ["*": "owner"], showsEnrolment: Bool = false,
        prepare: @escaping @Sendable (LiveServer) async throws -> Void = { _ in },
        _ test: @escaping @Sendable (LiveServer, WebDriver, ConsolePerson) async throws -> Void
    ) async throws {
        try await LiveServer.run(on: .sqlite) { server in
            try await withFolder { folder in
                try await WebDriver.run(
                    in: folder, browser: browser, isScripted: isScripted, language: language
                ) { driver in
                    try await driver.show(width: 1_280, height: 860)
                    try await prepare(server)
                    try await test(server, driver, try await enrol(server, driver, grants, showsEnrolment))
                }
            }
        }
    }

    /// The same with a server that runs already.
    static func run(
        at server: LiveServer, _ test: @escaping @Sendable (WebDriver, ConsolePerson) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            try await WebDriver.run(in: folder) { driver in
                try await driver.show(width: 1_280, height: 860)
                try await test(driver, try await enrol(server, driver, ["*": "owner"], false))
            }
        }
    }

    /// UI-SIGN-1: follows the printed link, and computes the code from the key that the page shows.
    static func enrol(
        _ server: LiveServer, _ driver: WebDriver, _ grants: [String: String], _ showsEnrolment: Bool = false,
        as name: String = "kim"
    ) async throws -> ConsolePerson {
        let grants = try [GrantScope: OperatorRole](typed: grants, in: [LiveServer.app])
        let token = try await server.runOnServer(InviteOperator(name: name, grants: grants)).text
        let link = server.url.appending(path: "/console/enrol/\(token)")
        try await driver.open(link)
        // Other tests enrol in other languages.
        if showsEnrolment { try await driver.document("enrolment") }
        let key = try await driver.text(of: "code.key")
        let totp = TOTP(secret: base32(key))
        try await driver.type(password, into: "#f-password")
        try await driver.type(totp.code(at: .now(server)), into: "#f-code")
        try await driver.click("button.primary")
        _ = try await driver.text(of: "ol.codes code")
        let codes = try await driver.script("return document.querySelectorAll('ol.codes code').length")
        #expect(codes == .integer(10))
        try await driver.click("a.button.primary")
        return ConsolePerson(server: server, driver: driver, secret: totp, link: link)
    }

    private static func base32(_ text: String) -> [UInt8] {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        let bits = text.compactMap { letters.firstIndex(of: $0) }.flatMap { value in
            (0..<5).reversed().map { value >> $0 & 1 }
        }
        return stride(from: 0, to: bits.count - 7, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | UInt8($1) }
        }
    }

    /// Opens a page of the console.
    ///
    /// - Parameter path: below `/console`, with its query.
    func open(_ path: String) async throws {
        try await driver.open(try #require(URL(string: "\(server.url)/console\(path)")))
    }

    /// Expects that no page has written to the browser's console, and that none has broken its policy.
    func expectClean(_ place: String) async throws {
        let complaints = try await driver.complaints().filter { !$0.contains("/favicon.ico") }
        #expect(complaints.isEmpty, "\(place): \(complaints)")
    }
}

extension Moment {
    /// The moment of a server: the machine's, or a later one if its clock was put forward.
    fileprivate static func now(_ server: LiveServer) -> Moment {
        Moment(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000) + server.clock.offsetSeconds * 1_000)
    }
}

extension LiveServer {
    /// Four guests, of whom one is banned, and a text for banned players.
    func seedForConsole() async throws {
        for number in 0..<4 {
            let phone = device(MemoryStorage())
            try await phone.start()
            let user = try await phone.logIn(with: .guest).member.userId
            if number == 0 { try await ban(user, reason: "aimbot") }
        }
        try await run(AddBanTemplate(code: 1, name: "Cheating", texts: ["en": "You cheated.", "ko": "부정행위"]))
    }

    /// Bans a player as the game's own server does.
    func ban(_ user: UserID, reason: String) async throws {
        _ = try await call(
            Endpoints.ban,
            BanRequest(userIds: [user], banType: .permanent, reason: reason, registeredBy: reason))
    }
}

extension WebDriver {
    /// Runs a function's body in the page, and returns the strings that it returns.
    func strings(_ body: String) async throws -> [String] { Self.strings(try await script(body)) }

    static func strings(_ value: JSONValue) -> [String] {
        guard case .array(let items) = value else { return [] }
        return items.compactMap(\.stringValue)
    }
}
