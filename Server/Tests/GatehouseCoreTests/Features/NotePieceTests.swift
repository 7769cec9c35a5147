import Testing

@testable import GatehouseCore

/// Names of operators and numbers of tickets in what operators write.
@Suite struct NotePieceTests {
    @Test(
        "Names after @ and numbers after # are found, and addresses of mail and colours are not",
        arguments: [
            ("@kim", [.name("kim")]), ("Ask @kim.", [.text("Ask "), .name("kim"), .text(".")]),
            ("(@Lee-2, #12)", [.text("("), .name("Lee-2"), .text(", "), .ticket("12"), .text(")")]),
            ("안녕@kim님", [.text("안녕"), .name("kim"), .text("님")]),
            ("see #1234.", [.text("see "), .ticket("1234"), .text(".")]),
            ("bob@example.com", [.text("bob@example.com")]), ("#12ab #", [.text("#12ab #")]),
            ("@ @. #1234567890123", [.text("@ @. #1234567890123")]), ("", []),
            ("@a\u{301}\u{0}", [.name("a"), .text("\u{301}\u{0}")]), ("@@kim", [.text("@"), .name("kim")]),
        ] as [(String, [NotePiece])])
    func pieces(text: String, pieces: [NotePiece]) {
        #expect(NotePiece.pieces(of: text) == pieces)
    }

    @Test("An operator is mentioned by the whole name, in small or capital letters")
    func mentions() {
        #expect(NotePiece.mentions("kim", in: "for @Kim: call back") && NotePiece.mentions("a.b", in: "@a.b."))
        #expect(!NotePiece.mentions("kim", in: "kim") && !NotePiece.mentions("kim", in: "@kimberly"))
        #expect(!NotePiece.mentions("kim", in: "x@kim"))
        // It takes time by the length alone.
        #expect(NotePiece.pieces(of: String(repeating: "@", count: 100_000)).count == 1)
    }
}
