import GatehousePlatform

/// Passwords that are too common. A password has at least fifteen characters, and the commonest passwords of that length are short ones
/// that are repeated, continued, or decorated with digits. So a password is refused when nothing but a common word, repeated, and
/// digits are in it.
enum CommonPasswords {
    /// Whether a password in lower case is a common one.
    static func contain(_ password: String) -> Bool {
        let letters: String = password.filter { $0.isLetter }
        var rest = Substring(letters)
        // Digits and signs alone are the commonest of all; other scripts' signs are not.
        if rest.isEmpty { return password.allSatisfy(\.isASCII) }
        while !rest.isEmpty {
            guard let word = words.first(where: { rest.begins(with: $0) }) else { return false }
            rest = rest.dropFirst(word.count)
        }
        return true
    }

    /// The words that most of the commonest passwords are made of, longest first.
    private static let words: [String] = """
        password passw0rd passwort welcome qwertyuiop qwerty asdfghjkl asdfgh zxcvbnm zxcvbn abcdefghijklmnopqrstuvwxyz
        abcdefgh abcdef abc iloveyou letmein administrator admin dragon monkey football baseball master sunshine princess
        shadow superman batman trustno michael jordan hunter killer charlie andrew michelle jessica ashley daniel computer
        secret summer winter spring autumn internet starwars pokemon whatever changeme change default guest operator
        gatehouse console server game games player login root test testing correcthorsebatterystaple correct horse battery
        staple hello freedom flower love loveme lovely asdf qaz wsx edc rfv the is my your this me you
        """.split(whereSeparator: \.isWhitespace).map(String.init).sorted { $0.count > $1.count }
}
