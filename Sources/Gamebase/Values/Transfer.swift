import GatehouseWire

extension TransferAccount {
    var accountJSON: [String: JSONValue] {
        var json: [String: JSONValue] = ["id": .string(id)]
        json["password"] = password.map { .string($0.secretValue) }
        return json
    }

    var conditionJSON: [String: JSONValue] {
        var json: [String: JSONValue] = [
            "transferAccountType": .string(transferAccountType.rawValue),
            "expirationType": expiryDate == nil ? "NONE" : "FIXED",
        ]
        json["expirationDate"] = expiryDate.map { .integer($0) }
        return json
    }
}

extension TransferBlock {
    func gamebaseJSON(appID: String) -> [String: JSONValue] {
        [
            "appId": .string(appID), "id": .string(accountId), "status": "B", "failCount": .integer(Int64(failCount)),
            "blockEndDate": .integer(blockEndDate), "regDate": .integer(registrationDate),
        ]
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
