import GatehouseWire

extension LaunchingInformation {
    /// The launching information in the form of Gamebase's JSON.
    func gamebaseJSON(storeCode: String) -> [String: JSONValue] {
        var idP: [String: JSONValue] = [:]
        for (provider, settings) in providers {
            var entry: [String: JSONValue] = [:]
            entry["clientId"] = settings.clientId.map { .string($0) }
            entry["channels"] = settings.regions.map { .array($0.map { ["region": .string($0)] }) }
            entry["additional"] = settings.additionalInfo.map { .string($0.text()) }
            idP[provider.rawValue] = .object(entry)
        }
        let isTestDevice = status == .inServiceForTestDevices
        var launching: [String: JSONValue] = [
            "status": ["code": .integer(Int64(status.rawValue)), "message": .string(message ?? status.name)],
            "app": [
                "idP": .object(idP), "storeCode": .string(storeCode),
                "language": ["defaultLanguage": .string(language)],
            ],
            "user": [
                "testDevice": [
                    "matchingFlag": .bool(isTestDevice), "matchingTypes": .array(isTestDevice ? ["deviceKey"] : []),
                ]
            ],
        ]
        if let updateURL, case .object(var app)? = launching["app"] {
            app["install"] = ["url": .string(updateURL)]
            launching["app"] = .object(app)
        }
        if let maintenance {
            var entry: [String: JSONValue] = [
                "typeCode": "APP", "beginDate": .integer(maintenance.beginDate),
                "endDate": .integer(maintenance.endDate),
            ]
            entry["message"] = maintenance.message.map { .string($0) }
            entry["url"] = maintenance.url.map { .string($0) }
            entry["reason"] = (maintenance.reason ?? maintenance.message).map { .string($0) }
            launching["maintenance"] = .object(entry)
        }
        return ["date": .integer(serverDate), "launching": .object(launching)]
    }
}
