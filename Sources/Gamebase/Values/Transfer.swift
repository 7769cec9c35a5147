import GatehouseWire

extension TCGBTransferAccountInfo {
    struct Value: JSONMembers {
        var issuedType: String?
        var account = JSONObject(TCGBTransferAccountInfoAccount.Value())
        var condition = JSONObject(TCGBTransferAccountInfoCondition.Value())
    }
}

extension TCGBTransferAccountInfo.Value {
    init(_ transfer: TransferAccount) {
        issuedType = transfer.issuedType.rawValue
        account = JSONObject(.init(id: transfer.id, password: transfer.password?.secretValue))
        condition = JSONObject(
            .init(
                transferAccountType: transfer.transferAccountType.rawValue,
                expirationType: transfer.expiryDate == nil ? "NONE" : "FIXED", expirationDate: transfer.expiryDate))
    }
}

extension TCGBTransferAccountInfoAccount {
    struct Value: JSONMembers {
        var id: String?
        var password: String?
    }
}

extension TCGBTransferAccountInfoCondition {
    struct Value: JSONMembers {
        var transferAccountType: String?
        var expirationType: String?
        var expirationDate: Int64?
    }
}

extension TCGBTransferKeyInfo {
    struct Value: JSONMembers {
        var transferKey: String?
        var regDate: Int64?
        var expireDate: Int64?
    }
}

extension TCGBTransferKeyInfo.Value {
    init(_ key: TransferKey) {
        transferKey = key.transferKey.secretValue
        regDate = key.registrationDate
        expireDate = key.expiryDate
    }
}

extension TransferRenewal {
    var gamebaseJSON: [String: JSONValue] {
        var json: [String: JSONValue] = [
            "renewalModeType": password == nil ? "AUTO" : "MANUAL",
            "renewalTargetType": target == .password ? 0 : 1,
        ]
        json["accountId"] = id.map { .string($0) }
        json["accountPassword"] = password.map { .string($0.secretValue) }
        return json
    }
}
