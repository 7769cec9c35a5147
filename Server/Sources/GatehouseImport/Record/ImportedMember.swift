import Crypto
package import GatehouseJSON
import GatehousePlatform
package import GatehouseWire

/// A player of another system in the neutral form: a line of a `gatehouse.members/1` file.
///
/// It has nothing by which a person could be found (e-mail, phone, name) and no secret (passwords, hashes).
package struct ImportedMember: Equatable, Sendable {
    package enum Status: String, Sendable, CaseIterable {
        /// It has an identity of a provider.
        case active
        /// It has no identity, so that only its device opens it.
        case guest
        /// It had a way in that does not come along, such as a password. Only a token of the old system still proves who it is.
        case unreachable
        /// Its withdrawal is under way.
        case withdrawn
    }

    /// What the old system's export may have left out.
    package enum Loss: String, Sendable, CaseIterable {
        case identities, devices, bans
    }

    /// The player's id in the old system.
    package var legacyID: String
    package var registrationDate: Int64?
    package var lastLoginDate: Int64?
    package var status: Status
    package var identities: [ImportedIdentity] = []
    package var devices: [ImportedDevice] = []
    package var bans: [ImportedBan] = []
    /// When the withdrawal under way becomes final.
    package var gracePeriodDate: Int64?
    /// Tokens that the old system issued before this date are no longer valid.
    package var validSinceDate: Int64?
    /// The id to keep, if it is one of Gatehouse's form.
    package var userID: String?
    package var lost: [Loss] = []
    /// An object with what has no place here, for the game's own server. Gatehouse stores nothing of it.
    package var extra: StrictJSON.Value?

    package init(legacyID: String, status: Status = .guest) {
        self.legacyID = legacyID
        self.status = status
    }

    /// The names of a record's members on the wire.
    package static let names = [
        "legacyId", "registrationDate", "lastLoginDate", "status", "identities", "devices", "bans", "withdrawal",
        "validSinceDate", "userId", "lost", "extra",
    ]
}

/// Who a player is at an identity provider, as the old system knew it.
package struct ImportedIdentity: Equatable, Sendable {
    /// The provider's neutral name, such as `google.com`.
    package var provider: String
    package var subject: String
    /// What kind of subject it is, where a provider has several: `game`, `team` or `legacy` for Game Center.
    package var kind: String?
    /// The issuer of an OpenID provider.
    package var issuer: String?
    /// The team, app or channel to which the subject belongs, where the old system knew it.
    package var namespace: String?
    /// When it was added to the account.
    package var registrationDate: Int64?

    package init(
        provider: String, subject: String, kind: String? = nil, issuer: String? = nil, namespace: String? = nil,
        registrationDate: Int64? = nil
    ) {
        self.provider = provider
        self.subject = subject
        self.kind = kind
        self.issuer = issuer
        self.namespace = namespace
        self.registrationDate = registrationDate
    }
}

/// What is known of a provider's subjects by the provider's neutral name: which of Gatehouse's providers has the same ones, and their form.
package enum SubjectForm {
    /// The neutral names of providers. Other names come as the old system writes them.
    package enum Name {
        package static let google = "google.com"
        package static let apple = "apple.com"
        package static let facebook = "facebook.com"
        package static let twitter = "twitter.com"
        package static let gameCenter = "gc.apple.com"
        package static let playGames = "playgames.google.com"
        package static let line = "line.me"
        package static let steam = "steampowered.com"
    }

    /// The provider of Gatehouse that a neutral name stands for, unless the operator says another; nil if there is none.
    package static func standardProvider(for name: String) -> Provider? {
        switch name {
        case Name.google: .google
        case Name.apple: .apple
        case Name.facebook: .facebook
        case Name.twitter: .twitter
        case Name.gameCenter: .gameCenter
        case Name.line: .line
        default: nil
        }
    }

    /// The neutral name of a provider of Gatehouse; nil if it has none, and its own id is the name.
    package static func standardName(of provider: Provider) -> String? {
        let names = [Name.google, Name.apple, Name.facebook, Name.twitter, Name.gameCenter, Name.line]
        return names.first { standardProvider(for: $0) == provider }
    }

    /// Whether a subject has the form that its provider's subjects have; true where no form is known.
    package static func fits(_ subject: String, of name: String) -> Bool {
        let bytes = Array(subject.utf8)
        return switch name {
        case Name.google, Name.facebook, Name.twitter, Name.steam: !bytes.isEmpty && bytes.allSatisfy(ASCII.isDigit)
        case Name.apple: isApple(subject)
        case Name.line:
            bytes.count == 33 && bytes[0] == UInt8(ascii: "U") && bytes.dropFirst().allSatisfy(isHexadecimal)
        case Name.gameCenter: gameCenterKind(of: subject) != nil
        default: true
        }
    }

    /// `game` for an id of a player in one game, `team` for one in a developer's games, `legacy` for the old one of Game Center.
    package static func gameCenterKind(of subject: String) -> String? {
        if subject.begins(with: "G:") { return "game" }
        if subject.begins(with: "T:") { return "team" }
        return subject.utf8.isEmpty || subject.has(":") ? nil : "legacy"
    }

    /// `000123.abcdef0123456789abcdef0123456789.0456`
    private static func isApple(_ subject: String) -> Bool {
        let parts = subject.parts(at: ".", withEmpty: true).map { Array($0.utf8) }
        guard parts.count == 3 else { return false }
        return !parts[0].isEmpty && parts[0].allSatisfy(ASCII.isDigit) && parts[1].count == 32
            && parts[1].allSatisfy(isHexadecimal) && !parts[2].isEmpty && parts[2].allSatisfy(ASCII.isDigit)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool { ASCII.isDigit(byte) || (0x61...0x66).contains(byte) }
}

/// An id of a device that let its holder in at the old system.
package struct ImportedDevice: Equatable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case deviceID = "deviceId"
        case customID = "customId"
        case guestID = "guestId"
    }

    /// The id itself, or its hash, so that raw ids need not leave the old site.
    package enum Value: Equatable, Sendable {
        case plain(String)
        /// 64 small hexadecimal digits.
        case sha256(String)
    }

    package var kind: Kind
    package var value: Value

    package init(_ kind: Kind, _ value: Value) {
        self.kind = kind
        self.value = value
    }

    /// The SHA-256 of the id, in 64 small hexadecimal digits, whichever form it came in.
    package var hash: String {
        switch value {
        case .plain(let text): SHA256.hash(data: Array(text.utf8)).hexadecimal
        case .sha256(let digits): digits
        }
    }
}

/// A ban of the old system.
package struct ImportedBan: Equatable, Sendable {
    package var type: BanType
    package var beginDate: Int64?
    /// Present for a temporary ban, and for no other.
    package var endDate: Int64?
    package var reason: String?

    package init(_ type: BanType, beginDate: Int64? = nil, endDate: Int64? = nil, reason: String? = nil) {
        self.type = type
        self.beginDate = beginDate
        self.endDate = endDate
        self.reason = reason
    }

    /// A ban up to a date. Systems without permanent bans set an end that nobody awaits: PlayFab adds 20 years, and an operator of
    /// Supabase types a century.
    ///
    /// - Parameter begin: when the ban began, if that is known.
    /// - Parameter reference: a date of about that time otherwise.
    package static func upTo(_ end: Int64, begin: Int64?, reference: Int64?, reason: String? = nil) -> ImportedBan {
        let fifteenYears: Int64 = 15 * 365 * 86_400_000
        guard let start = begin ?? reference, end > start, end - start > fifteenYears else {
            return ImportedBan(.temporary, beginDate: begin, endDate: end, reason: reason)
        }
        return ImportedBan(.permanent, beginDate: begin, reason: reason)
    }
}

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
