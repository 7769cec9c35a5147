import Testing

@testable import GatehouseConsole

@Suite("QR codes")
struct QRCodeTests {
    /// The prefixes of this string are the texts of the tests.
    private static let address = String(repeating: "otpauth://totp/Gatehouse?secret=", count: 9)

    private static func text(_ length: Int) -> String { String(address.prefix(length)) }

    private static func rows(_ code: QRCode) -> [String] {
        (0..<code.size).map { row in String((0..<code.size).map { code[row, $0] ? "#" : "." }) }
    }

    /// FNV-1a over the modules, row by row.
    private static func fingerprint(_ code: QRCode) -> UInt64 {
        rows(code).joined().reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ ($1 == "#" ? 1 : 0)) &* 0x100_0000_01b3 }
    }

    @Test("A symbol equals that of another encoder, module by module")
    func vector() throws {
        let code = try #require(QRCode("otpauth://totp/394"))
        #expect(Self.rows(code) == Self.expected)
    }

    /// The shortest and the longest text of each version. The fingerprints are those of python-qrcode 8.2, which chooses the same masks.
    @Test(
        "All versions equal those of another encoder",
        arguments: [
            (0, 0x31b1_7098_8416_e8d1), (14, 0x455a_e78e_958b_3d2b), (15, 0xe883_bb2d_27a9_e32d),
            (26, 0x10aa_336b_d165_3925),
            (27, 0x7415_63e4_7703_e136), (42, 0xcdb7_e57e_cb28_ce07), (43, 0x9fa0_fbbd_71ee_397f),
            (62, 0x9aa7_4c1d_7bf6_69c3),
            (63, 0xeeaa_cbdc_a3aa_01ad), (84, 0x7e0f_3d78_ba14_f477), (85, 0xaba4_2ee8_d991_718d),
            (106, 0x70f2_8648_4481_f0f5),
            (107, 0x28b9_2bd9_0074_a2a7), (122, 0x7c22_3fa4_0928_94fc), (123, 0xedb4_0b22_603e_6d49),
            (152, 0x38e0_4a98_89f3_8481),
            (153, 0x88fd_7bf7_8d70_487a), (180, 0x5e9a_be23_e846_6eac), (181, 0xac87_e95d_7e81_6f83),
            (213, 0xa287_35d5_c8fb_512b),
            (214, 0x3886_c63e_aab0_d955), (251, 0x8cd7_3b64_f5e2_a0eb), (252, 0x1671_5632_87eb_5a9f),
            (287, 0xff17_d0f4_d30c_f20b),
        ] as [(Int, UInt64)])
    func fingerprints(length: Int, expected: UInt64) throws {
        let code = try #require(QRCode(Self.text(length)))
        #expect(Self.fingerprint(code) == expected)
    }

    /// The first text has two masks of equal penalty. The mask of the second text depends on the share of dark modules.
    @Test(
        "The mask is that of another encoder where the choice is close",
        arguments: [
            (text(158), 0x7e0d_5da0_2cbd_6770), ("otpauth://totp/221", 0xd9ee_150e_a31a_3361),
        ] as [(String, UInt64)])
    func closeMasks(text: String, expected: UInt64) throws {
        let code = try #require(QRCode(text))
        #expect(Self.fingerprint(code) == expected)
    }

    @Test("A text takes the smallest version that holds it")
    func sizes() {
        var shortest = 0
        for (index, longest) in [14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287].enumerated() {
            for length in [shortest, longest] {
                let code = QRCode(Self.text(length))
                #expect(code?.size == 21 + 4 * index, "\(length) bytes")
                #expect(code?.side == 29 + 4 * index, "\(length) bytes")
            }
            shortest = longest + 1
        }
    }

    @Test("A text that is too long has no symbol")
    func tooLong() {
        #expect(QRCode(Self.text(288)) == nil)
        #expect(QRCode(String(repeating: "a", count: 70_000)) == nil)
        // The limit is in bytes: each of these letters has three.
        #expect(QRCode(String(repeating: "한", count: 95)) != nil)
        #expect(QRCode(String(repeating: "한", count: 96)) == nil)
    }

    @Test("Any text is encoded, or has no symbol, without a trap")
    func anyText() {
        for text in ["", "\0", "\r\n", "\u{FFFD}", "e\u{301}", "🇰🇷👩‍👩‍👧", "관제탑 é"] {
            for count in [1, 5, 40] {
                let repeated = String(repeating: text, count: count)
                #expect((QRCode(repeated) == nil) == (repeated.utf8.count > 287))
            }
        }
    }

    @Test("Modules outside the symbol are light")
    func outside() throws {
        let code = try #require(QRCode(""))
        #expect(code[0, 0] && code[20, 0] && code[0, 20])
        for (row, column) in [(-1, 0), (0, -1), (21, 0), (0, 21), (.min, .max), (.max, .min), (.max, .max)] {
            #expect(!code[row, column])
        }
    }

    @Test("The path draws each run of dark modules once, inside the quiet zone", arguments: [0, 110, 200, 287])
    func path(length: Int) throws {
        let code = try #require(QRCode(Self.text(length)))
        #expect(code.path.hasPrefix("M4 4h7v1h-7z"))
        var drawn = Array(repeating: Array(repeating: Character("."), count: code.size), count: code.size)
        let runs = code.path.matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/)
        // Nothing stands between the runs.
        #expect(runs.map { String($0.0) }.joined() == code.path)
        for run in runs {
            let (column, row) = (try #require(Int(run.1)) - 4, try #require(Int(run.2)) - 4)
            let width = try #require(Int(run.3))
            #expect(run.3 == run.4)
            try #require(row >= 0 && row < code.size && column >= 0 && width > 0 && column + width <= code.size)
            for index in column..<column + width { drawn[row][index] = "#" }
            #expect(!code[row, column - 1] && !code[row, column + width], "A run is as long as it can be.")
        }
        #expect(drawn.map { String($0) } == Self.rows(code))
    }

    /// The symbol of `otpauth://totp/394` by python-qrcode 8.2: version 2, level M, byte mode, mask 5.
    private static let expected = """
        #######...####..#.#######
        #.....#.#.###.#.#.#.....#
        #.###.#.#..#...#..#.###.#
        #.###.#.###...##..#.###.#
        #.###.#...####....#.###.#
        #.....#..###.##.#.#.....#
        #######.#.#.#.#.#.#######
        ........#.##.#.#.........
        #.....#.#..##.#####..###.
        ######.#..#...###...#.##.
        .#..#########..###.###.##
        .##.##...#..#.####.###..#
        #.##.###.##..##.#.##.#..#
        #..#.#..#.#.####.#.....#.
        #.#.#.#.#.#..###.##.#..##
        #....#.#....###.#.#..###.
        #.#..##.###.#.#######.##.
        ........#.#....##...##...
        #######..#..###.#.#.#.#.#
        #.....#..###..###...##...
        #.###.#...##...######.#.#
        #.###.#..##.##..####.####
        #.###.#..#...##......#..#
        #.....#..#..##.###...#..#
        #######.######..#..#.#..#
        """.split(separator: "\n").map { String($0) }
}
