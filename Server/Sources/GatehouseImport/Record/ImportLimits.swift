/// What a record may hold at most. The schema in docs/members.schema.json says the same, and a test compares.
package enum ImportLimits {
    /// The bytes of a line of a neutral file, without its line break.
    package static let lineBytes = 65_536
    /// The bytes of one player in another system's file.
    package static let sourceBytes = 262_144
    package static let identities = 32
    package static let devices = 64
    package static let bans = 64
    /// The code points of an id, a kind, an issuer and a source's name.
    package static let idLength = 256
    /// The code points of a ban's reason.
    package static let reasonLength = 1_000
    /// The last millisecond of the year 9999.
    package static let lastDate: Int64 = 253_402_300_799_999

    /// Whether a text has a character that controls a terminal or a line: those of ASCII and of ISO 8859.
    package static func hasControls(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) }
    }

    /// Whether a text may be an id of a record.
    package static func isID(_ text: String) -> Bool {
        !text.isEmpty && (text.utf8.count <= idLength || text.unicodeScalars.count <= idLength) && !hasControls(text)
    }
}
