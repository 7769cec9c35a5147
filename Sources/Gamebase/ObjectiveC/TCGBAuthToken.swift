import Foundation
import Gatehouse
import GatehouseWire

/// The result of a login or a mapping: the token and the member.
#if canImport(ObjectiveC)
@objc(TCGBAuthToken) @objcMembers
#endif
public final class TCGBAuthToken: TCGBValueObject, @unchecked Sendable {  // Both are constants.
    /// The access token, and the provider of the login.
    public let tcgbToken: TCGBToken
    /// The member who is logged in.
    public let tcgbMember: TCGBMember

    init(token: TCGBToken, member: TCGBMember) {
        tcgbToken = token
        tcgbMember = member
        super.init(json: ["token": .object(token.json), "member": .object(member.json)])
    }

    convenience init(_ member: Member, provider: Provider, accessToken: AccessToken) {
        let token = TCGBToken.Value(sourceIdPCode: provider.rawValue, accessToken: accessToken.secretValue)
        self.init(token: TCGBToken(JSONObject(token)), member: TCGBMember(JSONObject(.init(member))))
    }

    /// Reads a token from a JSON object of the documented form.
    public static func tcgbAuthToken(withJSONObject object: [String: Any]) -> TCGBAuthToken? {
        let json = [String: JSONValue](foundation: object)
        guard let token = json["token"]?.objectValue, let member = json["member"]?.objectValue,
            member["userId"]?.stringValue != nil
        else { return nil }
        return TCGBAuthToken(token: TCGBToken(JSONObject(json: token)), member: TCGBMember(JSONObject(json: member)))
    }

    /// The identity providers that are mapped.
    public func mappingAuthList() -> [String]? { tcgbMember.authList?.map(\.idPCode) }

    /// The pending withdrawal, by the name in Gamebase's guide; nil if none is pending.
    public func getTemporaryWithdrawalInfo() -> TCGBTemporaryWithdrawalInfo? { tcgbMember.temporaryWithdrawal }
}

/// An access token, and the provider of its login.
#if canImport(ObjectiveC)
@objc(TCGBToken) @objcMembers
#endif
public final class TCGBToken: TCGBValueObject, @unchecked Sendable {  // Its value is a constant.
    let value: JSONObject<Value>

    /// The access token, which a game's server verifies.
    public var accessToken: String { value.accessToken ?? "" }
    /// Nil at a login: Gatehouse issues no second secret. JSON that the game reads may have one.
    public var accessTokenSecret: String? { value.accessTokenSecret }
    /// The identity provider of the login.
    public var sourceIdPCode: String? { value.sourceIdPCode }

    init(_ value: JSONObject<Value>) {
        self.value = value
        super.init(json: value.json)
    }
}

/// A player account. Dates are milliseconds since 1970, UTC.
#if canImport(ObjectiveC)
@objc(TCGBMember) @objcMembers
#endif
public final class TCGBMember: TCGBValueObject, @unchecked Sendable {  // All are constants.
    let value: JSONObject<Value>

    /// The member's id.
    public var userId: String { value.userId ?? "" }
    /// `Y`, `T` while a withdrawal is pending, `P` while a grace ban lasts.
    public var valid: String { value.valid ?? "" }
    /// The app's id.
    public var appId: String { value.appId ?? "" }
    /// When the member was made, in milliseconds since 1970, UTC.
    public var regDate: Int { Int(clamping: value.regDate ?? 0) }
    /// The last login, in milliseconds since 1970, UTC.
    public var lastLoginDate: Int { Int(clamping: value.lastLoginDate ?? 0) }
    /// The identities that are mapped.
    public let authList: [TCGBAuthMappingInfo]?
    /// Not nil while a withdrawal is pending: inform the player.
    public let temporaryWithdrawal: TCGBTemporaryWithdrawalInfo?
    /// Not nil while a grace ban lasts: inform the player how to end it.
    public let graceBanInfo: TCGBGraceBanInfo?

    init(_ value: JSONObject<Value>) {
        self.value = value
        authList = value.authList?.map(TCGBAuthMappingInfo.init)
        temporaryWithdrawal = value.temporaryWithdrawal.map(TCGBTemporaryWithdrawalInfo.init)
        graceBanInfo = value.graceBan.map(TCGBGraceBanInfo.init)
        super.init(json: value.json)
    }
}

/// One identity of a member.
#if canImport(ObjectiveC)
@objc(TCGBAuthMappingInfo) @objcMembers
#endif
public final class TCGBAuthMappingInfo: TCGBValueObject, @unchecked Sendable {  // Its value is a constant.
    let value: JSONObject<Value>

    /// The member's id.
    public var userId: String { value.userId ?? "" }
    /// Always `gbid`.
    public var authSystem: String { value.authSystem ?? "" }
    /// The identity provider.
    public var idPCode: String { value.idPCode ?? "" }
    /// Identifies this identity among all of the app: the provider and the account there.
    public var authKey: String { value.authKey ?? "" }
    /// When the identity was mapped, in milliseconds since 1970, UTC.
    public var regDate: Int { Int(clamping: value.regDate ?? 0) }

    init(_ value: JSONObject<Value>) {
        self.value = value
        super.init(json: value.json)
    }

    /// Accesses the mapping as a dictionary, because Gamebase's class is one.
    public subscript(_ key: String) -> Any? { json[key]?.foundation }
}

extension TCGBToken {
    struct Value: JSONMembers {
        var sourceIdPCode: String?
        var accessToken: String?
        var accessTokenSecret: String?
    }
}

extension TCGBMember {
    struct Value: JSONMembers {
        var userId: String?
        var valid: String?
        var appId: String?
        var regDate: Int64?
        var lastLoginDate: Int64?
        var authList: [JSONObject<TCGBAuthMappingInfo.Value>]?
        var temporaryWithdrawal: JSONObject<TCGBTemporaryWithdrawalInfo.Value>?
        var graceBan: JSONObject<TCGBGraceBanInfo.Value>?
    }
}

extension TCGBMember.Value {
    init(_ member: Member) {
        userId = member.userId.rawValue
        valid = member.status.rawValue
        appId = member.appId.rawValue
        regDate = member.registrationDate
        lastLoginDate = member.lastLoginDate
        authList = member.mappings.map { mapping in
            JSONObject(
                .init(
                    userId: member.userId.rawValue, authSystem: "gbid", idPCode: mapping.provider.rawValue,
                    authKey: mapping.authKey, regDate: mapping.registrationDate))
        }
        temporaryWithdrawal = member.temporaryWithdrawal.map { JSONObject(.init(gracePeriodDate: $0.gracePeriodDate)) }
        // The contract's JSON is Gamebase's, with a percent-encoded message.
        graceBan = member.graceBan.map { JSONObject(json: [String: JSONValue](encoding: $0)) }
    }
}

extension TCGBAuthMappingInfo {
    struct Value: JSONMembers {
        var userId: String?
        var authSystem: String?
        var idPCode: String?
        var authKey: String?
        var regDate: Int64?
    }
}

extension TCGBTemporaryWithdrawalInfo {
    struct Value: JSONMembers {
        var gracePeriodDate: Int64?
    }
}

extension TCGBGraceBanInfo {
    struct Value: JSONMembers {
        var gracePeriodDate: Int64?
        var message: String?
        var paymentStatus: JSONObject<TCGBPaymentStatus.Value>?
        var releaseRuleCondition: JSONObject<TCGBReleaseRuleCondition.Value>?
    }
}

extension TCGBPaymentStatus {
    struct Value: JSONMembers {
        var amount: Double?
        var count: Int64?
        var currency: String?
    }
}

extension TCGBReleaseRuleCondition {
    struct Value: JSONMembers {
        var amount: Double?
        var count: Int64?
        var currency: String?
        var conditionType: String?
    }
}
