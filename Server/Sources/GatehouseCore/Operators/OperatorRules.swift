import Crypto
import GatehousePlatform
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Operators' names, passwords and sessions.
enum OperatorRules {
    static let invitationSeconds: Int64 = 24 * 3_600
    static let recoveryCodeCount = 10

    static var nameIsTaken: Refusal { .parameter("name", "There is an operator with this name already.") }

    /// One answer for every wrong sign-in, so that nobody learns which part was wrong (CON-9).
    static var refused: Refusal {
        Refusal(.invalidParameter, "The name, the password or the code is wrong.", httpStatus: 403)
    }

    static var invitationIsOver: Refusal {
        Refusal(.invalidParameter, "This link was used, or is older than a day.", httpStatus: 410)
    }

    static func hash(of text: String) -> [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }

    /// - Throws: 3 for a name that is not 1 to 64 letters, digits, dots, hyphens and underscores of ASCII.
    static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte) || [0x2d, 0x2e, 0x5f].contains(byte)
            }
    }

    static func requireName(_ name: String) throws {
        guard isName(name) else {
            throw Refusal.parameter("name", "A name has 1 to 64 of the characters a-z, 0-9, '.', '-' and '_'.")
        }
    }

    /// - Parameter parameter: the field that a refusal names.
    /// - Returns: the password as it is hashed.
    /// - Throws: 3 for a password that is too short, too long or too common, or that nobody could type once more (CON-5).
    static func requirePassword(
        _ typed: String, of name: String, as parameter: String = "password"
    ) throws -> String {
        guard let password = PasswordHash.prepared(typed) else {
            throw Refusal.parameter(parameter, "A password has only characters that can be seen.")
        }
        guard (15...128).contains(password.unicodeScalars.count), password.utf8.count <= 512 else {
            throw Refusal.parameter(parameter, "A password has 15 to 128 characters.")
        }
        let plain = password.lowercased()
        let hasName = name.utf8.count >= 4 && plain.has(name)
        guard Set(plain).count >= 5, !hasName, !CommonPasswords.contain(plain) else {
            throw Refusal.parameter(parameter, "This password is one of the first that somebody would try.")
        }
        return password
    }

    /// Ten codes of 80 bits each, in groups of four letters.
    static func recoveryCodes(_ random: RandomSource) -> [String] {
        let letters = Array("abcdefghjkmnpqrstuvwxyz23456789z")
        return (0..<recoveryCodeCount).map { _ in
            let code = random.bytes(16).map { letters[Int($0 & 31)] }
            return stride(from: 0, to: 16, by: 4).map { String(code[$0..<$0 + 4]) }.joined(separator: "-")
        }
    }

    /// A recovery code as it is compared: without what people add when they type or copy it.
    static func normalized(_ code: String) -> String {
        String(decoding: code.narrowed.lowercasedASCII.utf8.filter(ASCII.isLetterOrDigit), as: UTF8.self)
    }

    /// Recovery codes as they are stored.
    static func hashes(of codes: [String]) -> [[UInt8]] { codes.map { hash(of: normalized($0)) } }

    /// The session of a token, with its operator; nil if it is over.
    static func session(
        _ token: OperatorToken, at moment: Moment, in tx: Reader
    ) throws -> OperatorSession? {
        guard let row = try OperatorSessionQueries.find(hash(of: token.text), in: tx),
            let person = try OperatorQueries.find(row.person, in: tx)?.person, !person.isDisabled,
            isLive(row, at: moment)
        else { return nil }
        return session(row, of: person)
    }

    static func isLive(_ row: OperatorSessionQueries.Row, at moment: Moment) -> Bool {
        moment < row.expiresAt && moment < row.usedAt.adding(seconds: OperatorSession.idleSeconds)
    }

    static func session(_ row: OperatorSessionQueries.Row, of person: Operator) -> OperatorSession {
        OperatorSession(
            id: row.id, person: person, createdAt: row.createdAt, usedAt: row.usedAt, expiresAt: row.expiresAt,
            elevatedUntil: row.elevatedUntil, address: row.address, agent: row.agent)
    }

    /// Begins a session, whose secret is new.
    ///
    /// - Parameter elevationSeconds: how long the sign-in counts as a new one.
    static func open(
        _ person: Operator, from visitor: OperatorVisitor, at moment: Moment, random: RandomSource,
        elevationSeconds: Int64 = OperatorSession.elevationSeconds, in tx: Draft
    ) throws -> OperatorToken {
        let token = OperatorToken(random: random)
        let row = OperatorSessionQueries.Row(
            id: TimeOrderedID.entry(at: moment, random: random), person: person.id, createdAt: moment, usedAt: moment,
            expiresAt: moment.adding(seconds: OperatorSession.longestSeconds),
            elevatedUntil: moment.adding(seconds: elevationSeconds), address: visitor.address,
            agent: visitor.agent)
        try OperatorSessionQueries.insert(row, tokenHash: hash(of: token.text), in: tx)
        return token
    }

    /// Begins a session in place of all that the person has.
    static func reopen(
        _ person: Operator, from visitor: OperatorVisitor, at moment: Moment, random: RandomSource, in tx: Transaction
    ) throws -> OperatorToken {
        try OperatorSessionQueries.delete(of: person.id, in: tx)
        return try open(person, from: visitor, at: moment, random: random, in: tx)
    }

    /// Changes an operator.
    ///
    /// - Throws: 5 when the server had somebody who can manage operators, and has nobody after the change.
    static func keepingAnOwner(in tx: Transaction, _ change: () throws -> Void) throws {
        let hadOwner = try hasOwner(in: tx)
        try change()
        guard try !hadOwner || hasOwner(in: tx) else {
            throw Refusal(.userPermission, "The last owner of the server stays one.")
        }
    }

    private static func hasOwner(in tx: Reader) throws -> Bool {
        try OperatorQueries.all(in: tx).contains { !$0.isDisabled && $0.serverRole == .owner }
    }
}
