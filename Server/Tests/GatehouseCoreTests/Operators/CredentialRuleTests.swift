import Foundation
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import Testing

@testable import GatehouseCore

/// Operators' passwords and second factors.
@Suite struct CredentialRuleTests {
    @Test(
        "CON-6: codes are those of RFC 6238, appendix B",
        arguments: [
            (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
        ] as [(Int64, String)])
    func vectors(second: Int64, code: String) {
        let totp = TOTP(secret: Array("12345678901234567890".utf8))
        #expect(totp.code(at: second / 30, digits: 8) == code)
        #expect(totp.code(at: Moment(milliseconds: second * 1_000)) == code.suffix(6))
    }

    @Test(
        "Keys are written as RFC 4648 section 10 says, without padding",
        arguments: [
            ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ])
    func base32(text: String, encoded: String) {
        #expect(TOTP(secret: Array(text.utf8)).base32 == encoded)
    }

    @Test("CON-6: a code counts for its step and one on each side, and never at or before a step that was used")
    func steps() {
        let totp = TOTP(secret: RandomSource.live.bytes(20))
        let moment = Moment(milliseconds: 1_795_219_200_000)
        let now = moment.milliseconds / 30_000
        for distance in -3...3 as ClosedRange<Int64> {
            let found = totp.step(of: totp.code(at: now + distance), at: moment, after: 0)
            #expect((found == now + distance) == (abs(distance) <= 1), "\(distance)")
        }
        #expect(totp.step(of: totp.code(at: now), at: moment, after: now) == nil)
        #expect(totp.step(of: totp.code(at: now - 1), at: moment, after: now) == nil)
        for wrong in ["", "1", "12345", "1234567", "\u{0}", String(repeating: "1", count: 100_000)] {
            #expect(totp.step(of: wrong, at: moment, after: 0) == nil)
        }
        for moment in [Moment(milliseconds: .max), Moment(milliseconds: .min)] {
            #expect(totp.step(of: "x", at: moment, after: 0) == nil)
        }
    }

    @Test("CON-6: a code counts in full-width digits, with a space or a hyphen, and with what a copy brings along")
    func typedCodes() {
        let totp = TOTP(secret: Array("12345678901234567890".utf8))
        let moment = Moment(milliseconds: 59_000)
        for typed in [
            "287082", "287-082", "287 082", "２８７０８２", "\u{202a}287\u{a0}082\u{202c}", "\u{feff}287082\u{200b}",
        ] {
            #expect(totp.step(of: typed, at: moment, after: 0) == 1, "\(typed)")
        }
        for wrong in ["287082a", "28708", "287083", "a287082", "287.082"] {
            #expect(totp.step(of: wrong, at: moment, after: 0) == nil, "\(wrong)")
        }
    }

    @Test(
        "Two servers are two entries in an authenticator: issuer and label name the host, escaped and the same in both",
        arguments: [
            ("login.example.com", "login.example.com"), ("staging.example.com", "staging.example.com"),
            ("10.0.0.5:8443", "10.0.0.5-8443"), ("[::1]:80", "%5B--1%5D-80"),
            ("a&issuer=b?#/ %", "a%26issuer%3Db%3F%23%2F%20%25"),
            (String(repeating: "x", count: 253), String(repeating: "x", count: 64)),
        ])
    func authenticator(host: String, name: String) {
        let totp = TOTP(secret: Array("12345678901234567890".utf8))
        let address = totp.address(account: "a b&c", host: host)
        #expect(
            address
                == "otpauth://totp/Gatehouse%20\(name):a%20b%26c?secret=\(totp.base32)&issuer=Gatehouse%20\(name)")
    }

    @Test("CON-5: a password has 15 to 128 characters, and is none of the first that somebody would try")
    func passwords() {
        func isTaken(_ password: String, of name: String = "kim.min") -> Bool {
            (try? OperatorRules.requirePassword(password, of: name)) != nil
        }
        for right in [
            "a quiet lake in winter", String(repeating: "abcdeXYZ", count: 16), "열다섯글자가넘는아주긴비밀번호입니다",
            "🐟🐠🐡🦈🐙🦑🐚🦀🦞🦐🐬🐳🐋🦭🐢🐸",
        ] { #expect(isTaken(right), "\(right)") }
        for wrong in [
            "", "14 characters!", String(repeating: "abcdeXYZ", count: 16) + "a", "aaaaaaaaaaaaaaaa",
            "passwordpassword",
            "Password1234567", "qwertyuiop12345", "123456789012345", "correcthorsebatterystaple", "letmein-letmein-1",
            "abababababababab", "for kim.min only", "KIM.MIN was here",
        ] { #expect(!isTaken(wrong), "\(wrong)") }
        #expect(isTaken("a quiet lake in winter", of: "a"))
    }

    @Test("CON-5: letters are counted, and hashed, as one keyboard types them, whichever has")
    func preparedPasswords() throws {
        let long = "열다섯글자가넘는아주긴비밀번호입니다"
        let apart = long.decomposedStringWithCanonicalMapping
        #expect(apart.unicodeScalars.count > 2 * long.unicodeScalars.count)
        let prepared = try OperatorRules.requirePassword(apart, of: "kim")
        #expect(Array(prepared.utf8) == Array(long.utf8))
        // Fourteen letters are too few, however many code points a keyboard makes of them.
        let short = String(long.prefix(14)).decomposedStringWithCanonicalMapping
        #expect((try? OperatorRules.requirePassword(short, of: "kim")) == nil)
        let spaces = try OperatorRules.requirePassword("A\u{a0}quiet lake\u{3000}in winter", of: "kim")
        #expect(Array(spaces.utf8) == Array("A quiet lake in winter".utf8))
        for unseen in ["\u{200b}a quiet lake in winter", "a quiet\tlake in winter", "a quiet lake in winter\u{feff}"] {
            #expect((try? OperatorRules.requirePassword(unseen, of: "kim")) == nil)
        }
    }

    @Test("CON-5: two people with one password have different hashes, of OWASP's cost, and the 128th character counts")
    func hashes() async throws {
        #expect(PasswordHash.Cost.standard.forOperators == PasswordHash.Cost(exponent: 17, parallelism: 1))
        try await TestCore.open { core in
            let long = String(repeating: "abcdeXYZ", count: 16)
            for name in ["kim", "lee"] {
                _ = try await core.enrol(name, with: try await core.invite(name), password: long)
            }
            let hashes = try await core.database.read { tx in
                try ["kim", "lee"].map { try OperatorQueries.find(named: $0, in: tx)?.credentials.passwordHash }
            }
            #expect(hashes[0] != nil && hashes[0] != hashes[1])
            let stored = try #require(hashes[0].flatMap { PasswordHash(bytes: $0) })
            func hash(_ text: String) throws -> [UInt8] {
                try PasswordHash(of: text, cost: stored.cost, salt: stored.salt).hash
            }
            #expect(try hash(long) == stored.hash)
            #expect(try hash(long.dropLast() + "i") != stored.hash)
        }
    }

    @Test("Recovery codes have eighty bits each and never repeat")
    func recoveryCodes() {
        let codes = (0..<1_000).flatMap { _ in OperatorRules.recoveryCodes(.live) }
        #expect(Set(codes).count == 10_000)
        #expect(codes.allSatisfy { $0.wholeMatch(of: /[a-z2-9]{4}(?:-[a-z2-9]{4}){3}/) != nil })
        #expect(OperatorRules.normalized(" ABcd-EF23 \u{a0}ghjk mnpq\u{301}") == "abcdef23ghjkmnpq")
        #expect(OperatorRules.normalized("\u{200b}ａｂＣＤ－ｅｆ２３\u{2011}ghjk\u{feff}mnpq") == "abcdef23ghjkmnpq")
    }
}
