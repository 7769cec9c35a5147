import GatehouseJSON
import GatehouseSecurity
import GatehouseWire

/// The JSON body of a webhook.
struct AlertBody: Encodable {
    struct Content: Encodable {
        let appId: AppID
        let appName: String
        var verdict: String?
        var state: String?
        var idp: Provider?
        /// The numbers of the sentence, by name.
        var values: [String: String]?
        /// When a verdict that has ended began.
        var begunAt: String?
        let subject: String
        let text: String
        let url: String?
    }

    let type: String
    let timestamp: String
    let data: Content

    static func text(of notice: AlertNotice, _ text: AlertText) throws -> String {
        var data = Content(
            appId: notice.app.id, appName: notice.app.name, subject: text.subject, text: text.text, url: text.link)
        let type: String
        switch notice.content {
        case .begun(let verdict):
            type = "alert.begun"
            data.verdict = verdict.kind.rawValue
            data.state = verdict.state.rawValue
            data.idp = verdict.provider
            data.values = verdict.values.compactMapValues(\.plain)
        case .ended(let kind, let provider, let begunAt):
            type = "alert.ended"
            data.verdict = kind.rawValue
            data.idp = provider
            data.begunAt = begunAt.text
        case .test: type = "alert.test"
        }
        let body = AlertBody(type: type, timestamp: notice.moment.text, data: data)
        return String(decoding: try JSONWriter.bytes(of: body), as: UTF8.self)
    }

}
