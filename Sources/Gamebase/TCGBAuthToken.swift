import Foundation
import Gatehouse
import GatehouseWire

/// The result of a login or a mapping: the token and the member.
#if canImport(ObjectiveC)
@objc(TCGBAuthToken) @objcMembers
#endif
public final class TCGBAuthToken: TCGBValueObject, @unchecked Sendable {
    public let tcgbToken: TCGBToken
    public let tcgbMember: TCGBMember

    init(token: TCGBToken, member: TCGBMember) {
        tcgbToken = token
        tcgbMember = member
        super.init(json: ["token": .object(token.json), "member": .object(member.json)])
    }

    convenience init(_ member: Member, provider: Provider, accessToken: AccessToken) {
        self.init(
            token: TCGBToken(json: [
                "sourceIdPCode": .string(provider.rawValue), "accessToken": .string(accessToken.secretValue),
            ]), member: TCGBMember(member))
    }

    /// Reads a token from a JSON object of the documented form.
    public static func tcgbAuthToken(withJSONObject object: [String: Any]) -> TCGBAuthToken? {
        guard let json = JSONValue(foundation: object)?.objectValue, let token = json["token"]?.objectValue,
            let member = json["member"]?.objectValue, member["userId"]?.stringValue != nil
        else { return nil }
        return TCGBAuthToken(token: TCGBToken(json: token), member: TCGBMember(json: member))
    }

    /// The identity providers that are mapped.
    public func mappingAuthList() -> [String]? { tcgbMember.authList?.map(\.idPCode) }
}

#if canImport(ObjectiveC)
@objc(TCGBToken) @objcMembers
#endif
public final class TCGBToken: TCGBValueObject, @unchecked Sendable {
    /// The access token, which a game's server verifies.
    public var accessToken: String { json["accessToken"]?.stringValue ?? "" }
    public var accessTokenSecret: String? { json["accessTokenSecret"]?.stringValue }
    /// The identity provider of the login.
    public var sourceIdPCode: String? { json["sourceIdPCode"]?.stringValue }
}

/// A player account. Dates are milliseconds since 1970, UTC.
#if canImport(ObjectiveC)
@objc(TCGBMember) @objcMembers
#endif
public final class TCGBMember: TCGBValueObject, @unchecked Sendable {
    public var userId: String { json["userId"]?.stringValue ?? "" }
    /// `Y`, `T` while a withdrawal is pending, `P` while a grace ban lasts.
    public var valid: String { json["valid"]?.stringValue ?? "" }
    public var appId: String { json["appId"]?.stringValue ?? "" }
    public var regDate: Int { json.int("regDate") }
    public var lastLoginDate: Int { json.int("lastLoginDate") }
    public let authList: [TCGBAuthMappingInfo]?
    /// Not nil while a withdrawal is pending: inform the player.
    public let temporaryWithdrawal: TCGBTemporaryWithdrawalInfo?
    /// Not nil while a grace ban lasts: inform the player how to end it.
    public let graceBanInfo: TCGBGraceBanInfo?

    override init(json: [String: JSONValue]) {
        authList = json["authList"]?.arrayValue?.compactMap(\.objectValue).map { TCGBAuthMappingInfo(json: $0) }
        temporaryWithdrawal = json["temporaryWithdrawal"]?.objectValue.map { TCGBTemporaryWithdrawalInfo(json: $0) }
        graceBanInfo = json["graceBan"]?.objectValue.map { TCGBGraceBanInfo(json: $0) }
        super.init(json: json)
    }

    convenience init(_ member: Member) {
        var json: [String: JSONValue] = [
            "userId": .string(member.userId.rawValue), "valid": .string(member.status.rawValue),
            "appId": .string(member.appId.rawValue), "regDate": .integer(member.registrationDate),
            "lastLoginDate": .integer(member.lastLoginDate),
        ]
        json["authList"] = .array(
            member.mappings.map { mapping in
                [
                    "userId": .string(member.userId.rawValue), "authSystem": "gbid",
                    "idPCode": .string(mapping.provider.rawValue), "authKey": .string(mapping.authKey),
                    "regDate": .integer(mapping.registrationDate),
                ]
            })
        if let pending = member.temporaryWithdrawal {
            json["temporaryWithdrawal"] = ["gracePeriodDate": .integer(pending.gracePeriodDate)]
        }
        json["graceBan"] = member.graceBan.map { TCGBGraceBanInfo.json($0) }
        self.init(json: json)
    }
}

/// One identity of a member.
#if canImport(ObjectiveC)
@objc(TCGBAuthMappingInfo) @objcMembers
#endif
public final class TCGBAuthMappingInfo: TCGBValueObject, @unchecked Sendable {
    public var userId: String { json["userId"]?.stringValue ?? "" }
    public var authSystem: String { json["authSystem"]?.stringValue ?? "" }
    public var idPCode: String { json["idPCode"]?.stringValue ?? "" }
    public var authKey: String { json["authKey"]?.stringValue ?? "" }
    public var regDate: Int { json.int("regDate") }

    /// Accesses the mapping as a dictionary, because Gamebase's class is one.
    public subscript(_ key: String) -> Any? { json[key]?.foundation }
}

extension [String: JSONValue] {
    func int64(_ name: String) -> Int64 { self[name]?.integer ?? 0 }

    func int(_ name: String) -> Int { self[name]?.integer.map { Int(clamping: $0) } ?? 0 }

    func double(_ name: String) -> Double {
        switch self[name] {
        case .number(let value): value
        case .integer(let value): Double(value)
        default: 0
        }
    }
}

extension TCGBAuthToken {
    /// The pending withdrawal, by the name in Gamebase's guide; nil if none is pending.
    public func getTemporaryWithdrawalInfo() -> TCGBTemporaryWithdrawalInfo? { tcgbMember.temporaryWithdrawal }
}
