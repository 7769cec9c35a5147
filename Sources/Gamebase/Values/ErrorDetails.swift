import Gatehouse
import GatehouseWire

// What comes with an error, in the form of Gamebase's JSON.

extension Ban {
    var gamebaseJSON: [String: JSONValue] {
        var json = [String: JSONValue](encoding: self)
        json["csInfo"] = json.removeValue(forKey: "contact")
        json["csUrl"] = json.removeValue(forKey: "contactUrl")
        return json
    }
}

extension ForcingMappingTicket {
    var gamebaseJSON: [String: JSONValue] {
        var json = [String: JSONValue](encoding: self)
        json["idPCode"] = json.removeValue(forKey: "provider")
        json["mappedMember"] = nil
        return json
    }
}

extension TCGBUpdateInfo {
    struct Value: JSONMembers {
        var installUrl: String?
        var message: String?
    }
}

extension JSONObject<TCGBUpdateInfo.Value> {
    /// The update in an error, from the server or from a game's own error.
    init?(_ error: TCGBError) {
        let extra = error.userInfo["updateInfo"]
        if let details = error.cause?.details.other["updateInfo"]?.objectValue {
            self.init(json: details)
        } else if let text = extra as? String {
            self.init(text: text)
        } else if let dictionary = extra as? [String: Any] {
            self.init(dictionary: dictionary)
        } else if let standing = error.cause?.standing, standing.launchingStatus == .requireUpdate {
            self.init(.init(message: standing.message))
        } else {
            return nil
        }
    }
}
