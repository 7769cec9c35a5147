import Crypto
import Foundation
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import Synchronization
import TestDatabases
import Testing

@testable import GatehouseCore

/// Who is told of an app's verdicts, and when.
@Suite struct AlertTests {
    private static let address = "https://hooks.example.com/T0/B0/xyzzy"

    /// What the receivers of a test get, and what they answer.
    private final class Receivers: Sendable {
        let requests = Mutex<[OutgoingRequest]>([])
        let status = Mutex(200)

        @Sendable func fetch(_ request: OutgoingRequest) async throws -> OutgoingResponse {
            requests.withLock { $0.append(request) }
            return OutgoingResponse(status: status.withLock { $0 }, body: Data())
        }

        var taken: [OutgoingRequest] { requests.withLock { $0 } }
    }

    private func close(_ core: TestCore, _ isClosed: Bool = true) async throws {
        try await core.operator().run(SetStatus(status: isClosed ? .maintenance : .inService, message: [:]))
    }

    private func receivers(_ core: TestCore) async throws -> [AlertReceiver] {
        try await core.operator().run(.alertReceivers)
    }

    private func jobs(_ core: TestCore) async throws -> Int {
        try await core.count("SELECT COUNT(*) FROM jobs WHERE kind = 'send-alert'")
    }

    @Test("Of two nodes one tells that a verdict begins, and one that it is over, once", arguments: Engine.available)
    func once(engine: Engine) async throws {
        try await TestCore.openTwice(engine) { first, second in
            try await first.operator().run(AddAlertReceiver(.webhook, at: Self.address))
            @Sendable func look() async throws -> Int {
                try await together(2) { number in
                    try await AlertWatcher(services: [first, second][number].services).run()
                }.reduce(0, +)
            }
            #expect(try await look() == 0)
            try await close(first)
            #expect(try await look() == 1)
            // A node that starts again knows it.
            #expect(try await AlertWatcher(services: first.restarted().services).run() == 0)
            try await close(first, false)
            #expect(try await look() == 0)
            // It was away for a moment only.
            try await close(first)
            #expect(try await look() == 0)
            try await close(first, false)
            #expect(try await look() == 0)
            first.clock.advance(seconds: AlertRules.goneSeconds)
            #expect(try await look() == 1)
            #expect(try await look() == 0)
            #expect(try await jobs(first) == 2)
        }
    }

    @Test("A webhook is signed as of Standard Webhooks, and each attempt sends the same bytes under the same id")
    func webhook() async throws {
        let hook = Receivers()
        try await TestCore.open { core in
            let core = try core.restarted(fetch: hook.fetch)
            let secret = try #require(try await core.operator().run(AddAlertReceiver(.webhook, at: Self.address)))
            try await close(core)
            _ = try await AlertWatcher(services: core.services).run()
            hook.status.withLock { $0 = 302 }
            _ = try await JobRunner(services: core.services).run()
            #expect(try await receivers(core).first?.last?.outcome == AlertOutcome(.status, status: 302))
            hook.status.withLock { $0 = 204 }
            core.clock.advance(seconds: JobRules.leaseSeconds)
            _ = try await JobRunner(services: core.services).run()
            #expect(try await receivers(core).first?.last?.outcome == AlertOutcome(.sent))
            #expect(hook.taken.count == 2 && hook.taken.allSatisfy { $0.url == Self.address && $0.method == "POST" })
            #expect(
                Set(hook.taken.map(\.body)).count == 1 && Set(hook.taken.map { $0.headers["webhook-id"] }).count == 1)
            let key = try #require(Data(base64Encoded: String(secret.dropFirst("whsec_".count))))
            for request in hook.taken {
                let body = String(decoding: try #require(request.body), as: UTF8.self)
                let signed =
                    "\(request.headers["webhook-id"] ?? "").\(request.headers["webhook-timestamp"] ?? "").\(body)"
                let code = HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: SymmetricKey(data: key))
                #expect(request.headers["webhook-signature"] == "v1,\(Data(code).base64EncodedString())")
                #expect(body.contains(#""type":"alert.begun""#) && body.contains(#""verdict":"closed""#), "\(body)")
                #expect(body.contains(#""appId":"game""#) && body.contains(#""state":"warn""#))
            }
        }
    }

    @Test("The signature is that of the specification's example")
    func example() {
        let headers = WebhookSignature.headers(
            of: #"{"test": 2432232314}"#, id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", at: Moment(milliseconds: 1_614_265_330_999))
        #expect(headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        #expect(headers["webhook-timestamp"] == "1614265330")
    }

    @Test("Slack's address is stored sealed and shown to nobody, and its message has no marks of others")
    func slack() async throws {
        let hook = Receivers()
        try await TestCore.open { core in
            var node = try core.restarted(fetch: hook.fetch).services
            node.writeAlert = { AlertText(subject: $0.app.name, text: "<!channel> & more", link: "https://c.example/") }
            try await core.operator().run(AddAlertReceiver(.slack, at: Self.address))
            let receiver = try #require(try await receivers(core).first)
            #expect(receiver.hint == "hooks.example.com …yzzy")
            try await core.operator().run(TestAlertReceiver(id: receiver.id))
            #expect(try await !core.database.dump().contains("xyzzy"))
            hook.status.withLock { $0 = 404 }
            _ = try await JobRunner(services: node).run()
            let body = String(decoding: try #require(hook.taken.first?.body), as: UTF8.self)
            #expect(body.contains("&lt;!channel&gt; &amp; more") && body.contains(#"{"text":"Game"#), "\(body)")
            // A test that fails says so, is not tried again, and makes no dead job.
            #expect(try await receivers(core).first?.last?.outcome == AlertOutcome(.status, status: 404))
            #expect(try await core.count("SELECT COUNT(*) FROM jobs WHERE state <> 'done'") == 0)
        }
    }

    @Test("An e-mail goes by the server of the settings, and without one the receiver says so")
    func email() async throws {
        try await TestCore.open { core in
            try await core.operator().run(AddAlertReceiver(.email, at: "ops@example.com"))
            let receiver = try #require(try await receivers(core).first)
            try await core.operator().run(TestAlertReceiver(id: receiver.id))
            _ = try await JobRunner(services: core.services).run()
            #expect(try await receivers(core).first?.last?.outcome == AlertOutcome(.noRelay))
            let sent = Mutex<[OutgoingMail]>([])
            var environment = core.services.environment
            environment.sendMail = { mail in sent.withLock { $0.append(mail) } }
            let node = Services(
                database: core.database, vault: core.services.vault, environment: environment,
                reporter: core.callLog.reporter)
            core.clock.advance(seconds: 1)
            try await core.operator().run(TestAlertReceiver(id: receiver.id))
            _ = try await JobRunner(services: node).run()
            #expect(sent.withLock { $0.map(\.recipient) } == ["ops@example.com"])
            #expect(try await receivers(core).first?.last?.outcome == AlertOutcome(.sent))
        }
    }

    @Test(
        "A receiver that can't be asked says why, and the message waits",
        arguments: [
            (OutgoingFailure.notConnected, AlertOutcome.Word.notConnected), (.notTrusted, .notTrusted),
            (.privateAddress, .notPublic), (.timedOut(seconds: 5), .timedOut), (.tooLarge, .tooLarge),
        ])
    func unanswered(failure: OutgoingFailure, word: AlertOutcome.Word) async throws {
        try await TestCore.open { core in
            let core = try core.restarted(fetch: { _ in throw failure })
            try await core.operator().run(AddAlertReceiver(.webhook, at: Self.address))
            try await close(core)
            _ = try await AlertWatcher(services: core.services).run()
            _ = try await JobRunner(services: core.services).run()
            #expect(try await receivers(core).first?.last?.outcome == AlertOutcome(word))
            #expect(try await core.count("SELECT COUNT(*) FROM jobs WHERE state = 'waiting'") == 1)
        }
    }

    @Test("A message that can't be delivered is left after a day, and is no dead job")
    func late() async throws {
        let hook = Receivers()
        hook.status.withLock { $0 = 503 }
        try await TestCore.open { core in
            let core = try core.restarted(fetch: hook.fetch)
            try await core.operator().run(AddAlertReceiver(.webhook, at: Self.address))
            try await close(core)
            _ = try await AlertWatcher(services: core.services).run()
            _ = try await JobRunner(services: core.services).run()
            #expect(try await core.count("SELECT COUNT(*) FROM jobs WHERE state = 'waiting'") == 1)
            core.clock.advance(seconds: SendAlert.keptSeconds)
            _ = try await JobRunner(services: core.services).run()
            #expect(try await core.count("SELECT COUNT(*) FROM jobs WHERE state = 'done'") == 1)
            #expect(try await receivers(core).first?.last?.outcome == AlertOutcome(.status, status: 503))
        }
    }

    @Test("Nothing is told in quiet hours, and at their end what still holds")
    func quiet() async throws {
        try await TestCore.open { core in
            let hour = AppZone.universal.hour(of: core.clock.now)
            var wish = AlertWish()
            wish.quiet = QuietHours(from: hour, until: (hour + 2) % 24)
            try await core.operator().run(AddAlertReceiver(.webhook, at: Self.address, wish: wish))
            try await close(core)
            #expect(try await AlertWatcher(services: core.services).run() == 0)
            core.clock.advance(seconds: 7_200)
            #expect(try await AlertWatcher(services: core.services).run() == 1)
        }
        let midnight = Moment(milliseconds: 1_795_219_200_000)
        let night = QuietHours(from: 22, until: 7)
        for (hours, isQuiet) in [(-3, false), (-2, true), (0, true), (6, true), (7, false), (21, false)]
            as [(Int64, Bool)]
        {
            let moment = midnight.adding(seconds: hours * 3_600)
            #expect(night.contains(moment, in: .universal) == isQuiet, "\(hours)")
        }
    }

    @Test("A receiver is told what it wishes, and once more when it becomes critical")
    func wishes() {
        let moment = Moment(milliseconds: 1_795_219_200_000)
        var receiver = AlertReceiver(app: TestCore.app, id: "r", kind: .webhook, hint: "", wish: AlertWish())
        let warning = AppVerdict(.warn, .refused)
        let critical = AppVerdict(.bad, .refused)
        func news(_ verdicts: [AppVerdict], _ told: [AlertState] = [], after seconds: Int64 = 0) -> [AlertRules.News] {
            AlertRules.news(for: receiver, verdicts, told: told, at: moment.adding(seconds: seconds))
        }
        var state = AlertState(receiver: "r", verdict: "refused", isBad: false, begunAt: moment)
        #expect(news([warning]) == [.begun(warning)] && news([AppVerdict(.good, .refused)]) == [])
        #expect(news([warning], [state]) == [] && news([critical], [state]) == [.worse(critical, state)])
        #expect(news([], [state]) == [.gone(state)])
        state.goneAt = moment
        #expect(news([warning], [state]) == [.back(state)] && news([], [state], after: 299) == [])
        #expect(news([], [state], after: 300) == [.ended(state)])
        state.isBad = true
        #expect(news([critical], [state]) == [.back(state)])
        receiver.wish.includesWarnings = false
        #expect(news([warning]) == [] && news([critical]) == [.begun(critical)])
        receiver.wish.verdicts = [.closed]
        #expect(news([critical]) == [])
        let google = AppVerdict(.bad, .providerFails, of: .google)
        receiver.wish.verdicts = [.providerFails]
        #expect(google.stored == "provider-fails google" && news([google]) == [.begun(google)])
        let told = AlertState(receiver: "r", verdict: google.stored, isBad: true, begunAt: moment)
        #expect(told.subject?.kind == .providerFails && told.subject?.provider == .google)
    }

    @Test("What is wrong with the server is told to those who want it, whichever app they are in, and to no other")
    func server() async throws {
        try await TestCore.open { core in
            try await core.operator().run(AddAlertReceiver(.webhook, at: Self.address))
            var wish = AlertWish()
            wish.verdicts = [.lateDeadlines]
            try await core.operator().run(AddAlertReceiver(.email, at: "ops@example.com", wish: wish))
            let alice = try await core.player("alice")
            try await core.ban([alice.user], seconds: 60)
            core.clock.advance(seconds: 60 + ReadHealth.lateSeconds - 1)
            #expect(try await AlertWatcher(services: core.services).run() == 0)
            core.clock.advance(seconds: 2)
            #expect(try await AlertWatcher(services: core.services).run() == 1)
            #expect(try await core.count("SELECT COUNT(*) FROM alert_states WHERE verdict = 'late-deadlines'") == 1)
            _ = try await core.sweep()
            #expect(try await AlertWatcher(services: core.services).run() == 0)
            core.clock.advance(seconds: AlertRules.goneSeconds)
            #expect(try await AlertWatcher(services: core.services).run() == 1)
            #expect(try await core.count("SELECT COUNT(*) FROM alert_states") == 0)
        }
    }

    @Test("A receiver that is told of the server is added and changed by people with a role on the server alone")
    func serverRoles() async throws {
        try await TestCore.open { core in
            let owner = try #require(try await core.person("olga", [.everything: .owner]).live).person
            let person = try #require(try await core.person("kim", [.app(TestCore.app): .owner]).live).person
            let (olga, kim) = (core.operator(owner, as: .owner), core.operator(person, as: .owner))
            var wish = AlertWish()
            wish.verdicts.insert(.lostNodes)
            let add = AddAlertReceiver(.webhook, at: Self.address, wish: wish)
            #expect(await code { try await kim.run(add) } == .userPermission)
            try await olga.run(add)
            let receiver = try #require(try await receivers(core).first)
            var silent = wish
            silent.isOn = false
            for verdicts in [silent.verdicts, Set(AlertWish.kinds)] {
                silent.verdicts = verdicts
                let change = ChangeAlertReceiver(id: receiver.id, wish: silent)
                #expect(await code { try await kim.run(change) } == .userPermission)
            }
            #expect(await code { try await kim.run(RemoveAlertReceiver(id: receiver.id)) } == .userPermission)
            #expect(await code { try await kim.run(TestAlertReceiver(id: receiver.id)) } == .userPermission)
            #expect(try await receivers(core) == [receiver])
            // The form has no field for it, and takes none that somebody adds.
            let typed = ["address": Self.address, "language": "en", "least": "warn", "verdict.lost-nodes": "on"]
            for (caller, isOffered) in [(olga, true), (kim, false)] {
                let fields = try await OperatorForm.fields(AddAlertReceiver.self, on: .alertReceivers, by: caller)
                #expect(fields.contains { $0.name == "verdict.lost-nodes" } == isOffered)
                let view = try await OperatorForm.context(of: caller)
                let sent = OperatorForm.values(OperatorForm.sent(fields, typed))
                let action = try AddAlertReceiver(on: .alertReceivers, sent, view)
                #expect(action.wish.isOfServer == isOffered)
                let impossible = await OperatorForm.impossible {
                    _ = try await OperatorForm.fields(
                        ChangeAlertReceiver.self, on: .alertReceivers, ["receiver": receiver.id], by: caller)
                }
                #expect((impossible?.isForbidden == true) == !isOffered)
            }
            try await olga.run(RemoveAlertReceiver(id: receiver.id))
        }
    }

    @Test(
        "A receiver is changed, keeps its secret, is told nothing while it is off, and is removed with what it was told"
    )
    func life() async throws {
        try await TestCore.open { core in
            let caller = core.operator()
            let secret = try await caller.run(AddAlertReceiver(.webhook, at: Self.address))
            let receiver = try #require(try await receivers(core).first)
            try await close(core)
            #expect(try await AlertWatcher(services: core.services).run() == 1)
            var wish = receiver.wish
            (wish.isOn, wish.language) = (false, "ko")
            try await caller.run(
                ChangeAlertReceiver(id: receiver.id, wish: wish, address: "https://other.example.com/"))
            #expect(try await receivers(core).first?.hint == "other.example.com")
            #expect(try await AlertWatcher(services: core.services).run() == 0)
            let (id, vault) = (receiver.id, core.services.vault)
            let address = try await core.database.read { tx in
                try AlertQueries.address(of: id, of: TestCore.app, in: tx).map {
                    try AlertAddress.open($0, of: receiver, vault: vault)
                }
            }
            #expect(address == AlertAddress(address: "https://other.example.com/", secret: secret))
            wish.isOn = true
            try await caller.run(ChangeAlertReceiver(id: receiver.id, wish: wish))
            #expect(try await AlertWatcher(services: core.services).run() == 1)
            #expect(
                await code { try await caller.run(ChangeAlertReceiver(id: "none", wish: wish)) } == .invalidParameter)
            try await caller.run(RemoveAlertReceiver(id: receiver.id))
            #expect(try await core.count("SELECT COUNT(*) FROM alert_states") == 0)
            #expect(await code { try await caller.run(RemoveAlertReceiver(id: receiver.id)) } == .invalidParameter)
            // What waits for it is left.
            _ = try await JobRunner(services: core.services).run()
            #expect(try await core.count("SELECT COUNT(*) FROM jobs WHERE state = 'waiting'") == 0)
        }
    }

    @Test("A form takes addresses of its kind, two hours or none, and something to tell")
    func form() async throws {
        try await TestCore.open { core in
            let view = try await OperatorForm.context(of: core.operator())
            func problems(_ typed: [String: String]) async -> Set<String> {
                await OperatorForm.problems {
                    let values = OperatorForm.values(
                        ["language": "en", "least": "warn", "verdict.refused": "on"].merging(typed) { $1 })
                    _ = try AddAlertReceiver(on: .alertReceivers, values, view)
                }
            }
            #expect(await problems(["address": Self.address]) == [])
            #expect(await problems(["kind": "slack", "secret.address": Self.address]) == [])
            #expect(await problems(["kind": "email", "address": "a@example.com"]) == [])
            for address in [
                "", "http://example.com/", "https://u:p@example.com/", "ftp://example.com", "https://é.example",
            ] {
                #expect(await problems(["address": address]) == ["address"], "\(address)")
                #expect(await problems(["kind": "slack", "address": address]) == ["secret.address"], "\(address)")
            }
            for address in ["a", "a@b@c", "a@example.com\r\nRCPT TO:<b@c>", "<a@example.com>", "a b@example.com"] {
                #expect(await problems(["kind": "email", "address": address]) == ["address"], "\(address)")
            }
            let good = ["address": Self.address]
            #expect(await problems(good.merging(["quietFrom": "22"]) { $1 }) == ["quietUntil"])
            #expect(await problems(good.merging(["quietFrom": "22", "quietUntil": "22"]) { $1 }) == ["quietUntil"])
            #expect(await problems(good.merging(["quietFrom": "22", "quietUntil": "24"]) { $1 }) == ["quietUntil"])
            #expect(await problems(good.merging(["quietFrom": "22", "quietUntil": "7"]) { $1 }) == [])
            #expect(await problems(good.merging(["verdict.refused": ""]) { $1 }) == ["verdict.refused"])
            #expect(await problems(good.merging(["language": "fr", "least": "all"]) { $1 }) == ["language", "least"])
        }
    }
}
