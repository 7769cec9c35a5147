import Crypto
import GatehouseJSON
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Sends a message to a receiver, and notes what came of it where operators see it.
struct SendAlert: Job {
    static let kind = JobKind("send-alert")
    /// A message that could not be delivered for so long is left: what it says is no news any more.
    static let keptSeconds: Int64 = 86_400

    let receiver: String
    /// When it was found out, in milliseconds.
    let at: Int64
    /// Nil for a test, whose words the server that sends it finds.
    let text: AlertText?
    /// What a webhook gets, so that each attempt sends the same bytes.
    let body: String?

    var lane: String { "alert \(receiver)" }

    /// The scheme, name and port, or the server for e-mails.
    func host(in app: AppID, _ services: Services) async throws -> String? {
        let found = try await services.database.read { tx in try addressee(in: app, tx) }
        guard let (receiver, sealed) = found else { return nil }
        guard receiver.kind != .email else { return "mail" }
        let address = try? AlertAddress.open(sealed, of: receiver, vault: services.vault)
        return address.map { ProviderConfiguration.host($0.address) }
    }

    /// A message that is left is no failure of the server: its receiver says so.
    func perform(_ queued: QueuedJob, by runner: JobRunner) async throws {
        let services = runner.services
        let begin = services.environment.now()
        let found = try await services.database.read { tx -> (App, AlertReceiver, [UInt8])? in
            guard let app = try AppQueries.app(queued.app, in: tx),
                let (receiver, sealed) = try addressee(in: app.id, tx)
            else { return nil }
            return (app, receiver, sealed)
        }
        // A receiver that was removed, or switched off, is told nothing more. A test is for one that is off, too.
        guard let (app, receiver, sealed) = found, receiver.wish.isOn || text == nil else { return }
        let outcome: AlertOutcome
        if let address = try? AlertAddress.open(sealed, of: receiver, vault: services.vault) {
            outcome = try await deliver(queued.id, to: receiver, at: address, in: app, begin, services)
        } else {
            outcome = AlertOutcome(.lost)
        }
        let end = services.environment.now()
        try await services.database.transact { tx in
            try AlertQueries.note(outcome, of: receiver.id, app: app.id, at: end, in: tx)
        }
        let isNews = Moment(milliseconds: at).adding(seconds: Self.keptSeconds) > end
        guard outcome.word != .sent, outcome.word != .lost, text != nil, isNews else { return }
        throw JobFailure(reason: "the receiver \(receiver.hint): \(outcome.text)", mayRetry: true)
    }

    private func addressee(in app: AppID, _ tx: Reader) throws -> (AlertReceiver, sealedAddress: [UInt8])? {
        guard let receiver = try AlertQueries.receiver(receiver, of: app, in: tx),
            let sealed = try AlertQueries.address(of: receiver.id, of: app, in: tx)
        else { return nil }
        return (receiver, sealed)
    }

    private func deliver(
        _ id: String, to receiver: AlertReceiver, at address: AlertAddress, in app: App, _ moment: Moment,
        _ services: Services
    ) async throws -> AlertOutcome {
        let notice = AlertNotice(app: app, content: .test, moment: moment, language: receiver.wish.language)
        let text = text ?? services.writeAlert(notice)
        do {
            switch receiver.kind {
            case .webhook:
                let body = try body ?? AlertBody.text(of: notice, text)
                return try await post(
                    body, to: address.address,
                    signature: WebhookSignature.headers(
                        of: body, id: "msg_\(id)", secret: address.secret ?? "", at: moment), services)
            case .slack:
                return try await post(SlackMessage(text).json, to: address.address, services)
            case .email:
                guard let send = services.environment.sendMail else { return AlertOutcome(.noRelay) }
                try await send(
                    OutgoingMail(
                        recipient: address.address, subject: text.subject,
                        text: [text.text, text.link].compactMap { $0 }.joined(separator: "\n\n"), id: id,
                        date: moment))
                return AlertOutcome(.sent)
            }
        } catch let failure as OutgoingFailure {
            return AlertOutcome(failure)
        } catch let refusal as MailRefusal {
            return AlertOutcome(.status, status: refusal.code)
        } catch let failure as IdentityFailure where failure == .notPublic {
            return AlertOutcome(.notPublic)
        }
    }

    private func post(
        _ body: String, to address: String, signature: [String: String] = [:], _ services: Services
    ) async throws -> AlertOutcome {
        let headers = ["Content-Type": "application/json"].merging(signature) { $1 }
        let answer = try await services.environment.fetch(
            OutgoingRequest(method: "POST", url: address, headers: headers, body: Data(body.utf8)))
        return (200...299).contains(answer.status) ? AlertOutcome(.sent) : AlertOutcome(.status, status: answer.status)
    }
}

/// What came of a delivery: a word that is stored, with the status of an answer that was none of success.
package struct AlertOutcome: Sendable, Hashable {
    package enum Word: String, Sendable, Hashable, CaseIterable {
        case sent
        /// The receiver has answered with another status than success.
        case status
        case notConnected = "not-connected"
        case notTrusted = "not-trusted"
        /// Its address is none of the internet.
        case notPublic = "not-public"
        case timedOut = "timed-out"
        case tooLarge = "too-large"
        /// The server's settings name no server for e-mail.
        case noRelay = "no-relay"
        /// Its address can't be decrypted.
        case lost
    }

    package let word: Word
    package let status: Int?

    init(_ word: Word, status: Int? = nil) {
        self.word = word
        self.status = status
    }

    init?(_ text: String) {
        let parts = text.parts(at: " ", atMost: 2)
        guard let word = parts.first.flatMap({ Word(rawValue: String($0)) }) else { return nil }
        self.init(word, status: parts.count > 1 ? Int(parts[1]) : nil)
    }

    /// The form in which it is stored.
    var text: String { status.map { "\(word.rawValue) \($0)" } ?? word.rawValue }

    init(_ failure: OutgoingFailure) {
        let word: Word =
            switch failure {
            case .notConnected: .notConnected
            case .notTrusted: .notTrusted
            case .privateAddress: .notPublic
            case .timedOut: .timedOut
            case .tooLarge: .tooLarge
            }
        self.init(word, status: nil)
    }
}

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

/// Signs the body of a webhook as of Standard Webhooks, version 1.
enum WebhookSignature {
    private static let mark = "whsec_"

    /// A new secret, as its operator gets it.
    static func secret(random: RandomSource) -> String { mark + Data(random.bytes(32)).base64EncodedString() }

    static func headers(of body: String, id: String, secret: String, at moment: Moment) -> [String: String] {
        let key = Data(base64Encoded: String(secret.dropFirst(mark.count))) ?? Data()
        let seconds = String(moment.milliseconds / 1_000)
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(id).\(seconds).\(body)".utf8), using: SymmetricKey(data: key))
        return [
            "webhook-id": id, "webhook-timestamp": seconds,
            "webhook-signature": "v1,\(Data(code).base64EncodedString())",
        ]
    }
}

/// What Slack's incoming webhooks take.
struct SlackMessage: Encodable {
    let text: String

    init(_ alert: AlertText) {
        text = [alert.subject, alert.text, alert.link].compactMap { $0 }.filter { !$0.isEmpty }.map(Self.escaped)
            .joined(separator: "\n")
    }

    var json: String {
        get throws { String(decoding: try JSONWriter.bytes(of: self), as: UTF8.self) }
    }

    /// Slack reads these three as marks.
    private static func escaped(_ text: String) -> String {
        text.substituting("&", by: "&amp;").substituting("<", by: "&lt;").substituting(">", by: "&gt;")
    }
}
