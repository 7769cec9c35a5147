import Foundation
import Gamebase
import GatehouseWire
import Testing

/// Every name of Gamebase's API must have a counterpart.
@Suite struct NameTests {
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let root = tests.deletingLastPathComponent().deletingLastPathComponent()

    /// The lines of a list, without its comments.
    private static func names(in list: String = "gamebase-names.txt") throws -> [[String]] {
        try String(contentsOf: tests.appendingPathComponent(list), encoding: .utf8)
            .split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { $0.split(separator: " ").map(String.init) }
    }

    private static func source() throws -> String {
        let folder = root.appendingPathComponent("Sources/Gamebase")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return try (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
    }

    /// The headers that Objective-C includes.
    private static func headers() throws -> String {
        let folder = root.appendingPathComponent("Sources/GamebaseObjectiveC/include/Gamebase")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
    }

    /// The selectors that the headers declare for each class, which `scripts/check-apple` compares with those of the Swift
    /// compiler.
    private static func selectors() throws -> [String: Set<String>] {
        var selectors: [String: Set<String>] = [:]
        for found in try headers().matches(of: #/(?s)@(?:interface|protocol) (TCGB\w+)(.*?)@end/#) {
            let methods = found.2.matches(of: #/(?m)^[-+] \([^;]*?\)(\w+:[^;]*);/#).map { method in
                method.1.matches(of: #/(\w+:) ?\(/#).map { String($0.1) }.joined()
            }
            selectors[String(found.1), default: []].formUnion(methods)
        }
        return selectors
    }

    /// The declarations of a class and its extensions.
    private static func declarations(of name: String, in source: String) throws -> String {
        let starts = source.matches(
            of: try Regex(
                "(?m)^(?:@MainActor )?(?:public )?(?:final )?(?:class|extension|protocol) \(name)\\b[^\\n]*\\{"))
        return starts.map { start in
            let rest = source[start.range.lowerBound...]
            return String(rest[..<(rest.range(of: "\n}")?.upperBound ?? rest.endIndex)])
        }.joined(separator: "\n")
    }

    @Test("Every selector, property, constant and type of the guides and headers has its counterpart")
    func counterparts() throws {
        let source = try Self.source()
        // Each is looked for once: a walk through all sources for each name takes seconds.
        let types = Set(
            source.matches(of: #/public (?:final )?(?:class|enum|typealias|protocol) (\w+)/#).map { String($0.1) })
        let selectors = try Self.selectors()
        var declared: [String: String] = [:]
        for name in try Self.names() {
            switch name[0] {
            case "member":
                let own = try declared[name[1]] ?? Self.declarations(of: name[1], in: source)
                declared[name[1]] = own
                #expect(!own.isEmpty, "there is no class \(name[1])")
                let last = name[2]
                let isThere =
                    last.contains(":")
                    ? selectors[name[1], default: []].contains(last)
                    : own.contains("func \(last)(") || own.contains(" \(last):") || own.contains("var \(last) ")
                #expect(isThere, "\(name[1]) has no \(last)")
            case "constant":
                #expect(source.contains("public let \(name[1]) ="), "there is no constant \(name[1])")
            default:
                #expect(types.contains(name[1]), "there is no type \(name[1])")
            }
        }
    }

    @Test(
        "Every name and selector that stands in the guides is in the list of names and in the headers for Objective-C")
    func guides() throws {
        let known = Set(try Self.names().flatMap { $0.dropFirst() })
        let selectors = Set(try Self.names().filter { $0[0] == "member" }.map { [$0[1], $0[2]] })
        let headers = try Self.headers()
        let guides = try Self.names(in: "guide-names.txt")
        #expect(guides.count > 80)
        for name in guides {
            switch name[0] {
            case "selector":
                #expect(
                    selectors.contains([name[1], name[2]])
                        || selectors.contains([name[1], name[2].replacing(":", with: "")]),
                    "\(name[1]) \(name[2]) of \(name[3])")
            case "code":
                let number = try #require(Int(name[2]), "\(name[1]) of \(name[3])")
                let code = try #require(TCGBErrorCode(rawValue: number), "\(number) of \(name[3])")
                #expect("TCGB_\(code)" == name[1], "\(number) of \(name[3])")
                #expect(known.contains(name[1]), "\(name[1]) of \(name[3])")
                #expect(headers.contains("\(name[1]) TCGB_NOT_FOR_SWIFT = \(number),"), "\(name[1]) of \(name[3])")
            default:
                #expect(known.contains(name[1]), "\(name[1]) of \(name[2])")
                #expect(headers.contains(try Regex("\\b\(name[1])\\b")), "\(name[1]) of \(name[2])")
            }
        }
    }

    /// The numbers of Gamebase's list of codes (its page "Error Code", part "Client SDK"), with those of SDK 1.x. Some
    /// belong to purchases, push, logger and views: games compare with them, and no server sends them.
    private static let listOfCodes: [ClosedRange<Int>] = [
        1...15, 31...32, 51...52, 101...101, 110...110, 999...999, 2_001...2_004, 3_001...3_006, 3_009...3_013,
        3_031...3_033, 3_041...3_048, 3_101...3_103, 3_201...3_206, 3_301...3_305, 3_311...3_315, 3_401...3_403,
        3_501...3_501, 3_601...3_603, 3_701...3_701, 3_999...3_999, 4_001...4_007, 4_010...4_010, 4_201...4_201,
        4_999...4_999, 5_101...5_102, 5_999...5_999, 6_001...6_001, 6_048...6_049, 6_901...6_902, 6_911...6_913,
        6_921...6_925, 6_931...6_933, 6_941...6_942, 6_999...6_999, 7_001...7_004, 7_999...7_999, 8_001...8_003,
        8_999...8_999, 9_999...9_999,
    ]

    @Test("Every code of the list of codes has its case and its constant, which a game may take by force")
    func errorCodes() throws {
        #expect(TCGBErrorCode.allCases.map(\.rawValue).sorted() == Self.listOfCodes.flatMap { Array($0) })
        let lines = Set(try Self.source().split(separator: "\n").map(String.init))
        for code in TCGBErrorCode.allCases {
            #expect(lines.contains("public let TCGB_\(code) = \(code.rawValue)"), "\(code)")
        }
        for row in ErrorCode.table {
            let code = try #require(TCGBErrorCode(rawValue: row.code.rawValue), "\(row.name)")
            #expect("\(code)" == "ERROR_\(row.name)")
        }
    }

    @Test("Objective-C's constants are Swift's")
    func objectiveC() throws {
        let file = Self.root.appendingPathComponent("Sources/GamebaseObjectiveC/include/Gamebase/TCGBConstants.h")
        let header = try String(contentsOf: file, encoding: .utf8)
        let texts = header.matches(of: #/static NSString \*const (\w+) TCGB_NOT_FOR_SWIFT = @"(.*)";/#).map {
            "\($0.1) = \($0.2)"
        }
        let numbers = header.matches(of: #/(?m)^    (\w+) TCGB_NOT_FOR_SWIFT = (-?\d+),/#).map { "\($0.1) = \($0.2)" }
        let source = try Self.source()
        var expected = source.matches(of: #/public let (k?TCGB\w+) = "(.*)"/#).map { "\($0.1) = \($0.2)" }
        expected += source.matches(of: #/public let (kTCGB\w+) = TCGBGamebaseEventCategory\.(\w+)\.rawValue/#)
            .map { "\($0.1) = \($0.2)" }
        expected.append("TCGBErrorUserinfoTransactionId = \(TCGBErrorUserInfoTransactionId)")
        #expect(texts.sorted() == expected.sorted())
        var codes = source.matches(of: #/public let (TCGB_\w+) = (\d+)/#).map { "\($0.1) = \($0.2)" }
        codes += TCGBLaunchingStatus.allCases.map { "\($0) = \($0.rawValue)" }
        codes += TCGBIdPRevokedCode.allCases.map { "\($0) = \($0.rawValue)" }
        codes += NetworkStatus.allCases.map { "\($0) = \($0.rawValue)" }
        #expect(numbers.sorted() == codes.sorted())
        for name in try Self.names() where name[0] == "constant" && !name[1].contains("RenewalModeType") {
            guard !name[1].contains("RenewalTargetType") else { continue }
            #expect(header.contains("\(name[1]) TCGB_NOT_FOR_SWIFT ="), "Objective-C has no \(name[1])")
        }
    }

    @Test("The enumerators that Objective-C's headers declare are Swift's")
    func enumerators() throws {
        let enums = try Self.headers().matches(of: #/typedef NS_ENUM\(NSInteger, (\w+)\) \{([^}]*)\}/#)
        #expect(
            Set(enums.map { String($0.1) }) == [
                "GamebaseToastLength", "TCGBTransferAccountRenewalModeType", "TCGBTransferAccountRenewalTargetType",
            ])
        let source = try Self.source()
        for found in enums {
            let name = String(found.1)
            // Objective-C has the type's name before each.
            let declared = found.2.matches(of: #/(\w+) = (\d+),/#).map { "\($0.1) = \($0.2)" }
            let start = try #require(source.range(of: "public enum \(name): Int,"), "\(name)")
            let body = source[start.upperBound...].prefix { $0 != "}" }
            let made = body.matches(of: #/case (\w+) = (\d+)/#).map { name + $0.1.capitalizedFirst + " = \($0.2)" }
            #expect(!made.isEmpty && declared.sorted() == made.sorted(), "\(name)")
        }
    }

    @Test("A class that the compiler does not check as sendable says why it is, and has nothing but constants")
    func sendable() throws {
        let source = try Self.source()
        let lines = source.split(separator: "\n").filter { $0.contains("@unchecked Sendable") }
        for line in lines { #expect(line.contains("@unchecked Sendable {  // ")) }
        let classes = lines.compactMap { $0.firstMatch(of: #/class (\w+):/#)?.1 }
        #expect(classes.count > 20)
        for name in classes {
            let own = try Self.declarations(of: String(name), in: source)
            #expect(own.contains("let ") && !own.contains(#/(?m)^    (?:[a-z]+ )*var [^{\n]*$/#), "\(name)")
        }
    }

    @Test("What is old says what to use instead")
    func deprecated() throws {
        let source = try Self.source()
        for name in [
            "func banInfo()", "func authProviderUserID(idPCode", "func authProviderAccessToken(idPCode",
            "func authProviderProfile(idPCode", "func issueTransferKey(expiresIn", "func requestTransfer(transferKey",
            "var legDate", "func addObserver(", "func addServerPushEvent(", "func languageCode()",
            "let TCGB_ERROR_AUTH_BANNED_MEMBER", "func addMappingForcibly(\n        type: String, forcingMappingKey",
        ] {
            let range = try #require(source.range(of: name), "\(name)")
            let before = source[..<range.lowerBound].suffix(220)
            #expect(before.contains("@available(*, deprecated"), "\(name)")
        }
    }
}

extension StringProtocol {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
