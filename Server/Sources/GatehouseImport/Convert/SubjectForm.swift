import GatehousePlatform
package import GatehouseWire

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
