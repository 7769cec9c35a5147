import Gatehouse
import GatehouseWire

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
