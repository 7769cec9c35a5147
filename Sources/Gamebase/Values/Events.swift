import GatehouseWire

extension TCGBGamebaseEventMessage {
    struct Value: JSONMembers {
        var category: String?
        var data: String?
    }
}

extension TCGBGamebaseEventObserverData {
    struct Value: JSONMembers {
        var code: Int64?
        var message: String?
        var extras: String?
    }
}

extension TCGBGamebaseEventLoggedOutData {
    struct Value: JSONMembers {
        var message: String?
        var extras: String?
    }
}

extension TCGBGamebaseEventIdPRevokedData {
    struct Value: JSONMembers {
        var code: Int64?
        var idPType: String?
        var authMappingList: [String]?
        var extras: String?
    }
}

extension TCGBGamebaseEventServerPushData {
    struct Value: JSONMembers {
        var popup: [String: JSONValue]?
        var extras: String?
    }
}
