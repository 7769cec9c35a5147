import Foundation
import Gatehouse

// What previews show. It needs no server, because it calls nothing.
extension GameModel {
    /// What a screen shows in a preview.
    public struct Sample: Sendable {
        public var providers: [Provider] = [.apple, .gameCenter, .google]
        public var lastProvider: Provider?
        /// With an account the lobby is shown, without one the title screen.
        public var account: Account?
        public var notice: Notice?

        public init() {}
    }

    /// A model that shows a sample.
    public convenience init(sample: Sample) {
        let url = URL(string: "https://login.example.com") ?? URL(fileURLWithPath: "/")
        self.init(GatehouseClient(.init(appID: "preview", serverURL: url)))
        isOpen = true
        providers = sample.providers
        lastProvider = sample.lastProvider
        account = sample.account
        screen = sample.account == nil ? .title : .lobby
        notice = sample.notice
    }
}

extension Account {
    public static var sample: Account {
        Account(Member.sample([.guest]), standing: nil, providers: [.apple, .gameCenter, .google])
    }

    public static var sampleBeingDeleted: Account {
        var member = Member.sample([.apple])
        member.temporaryWithdrawal = TemporaryWithdrawal(gracePeriodDate: 1_795_824_000_000)
        return Account(member, standing: nil, providers: [.apple, .gameCenter, .google])
    }
}

extension Member {
    fileprivate static func sample(_ providers: [Provider]) -> Member {
        Member(
            appId: "preview", userId: "1M8S4CTH3C9FX6Z1", status: .normal, registrationDate: 0, lastLoginDate: 0,
            mappings: providers.map { Mapping(provider: $0, subject: "", registrationDate: 0) })
    }
}

extension TransferCode {
    public static var sample: TransferCode {
        TransferCode(
            TransferAccount(
                id: "A1B2C3D4", password: "p4ssw0rd", issuedType: .automatic, transferAccountType: .once,
                registrationDate: 0, expiryDate: 1_797_811_200_000))
    }
}

extension Notice {
    /// The notice of a maintenance, or of a ban.
    public static func sample(_ title: Phrase) -> Notice {
        guard title == .banned else {
            return Notice(
                title, message: "Back at noon.", until: Date(timeIntervalSince1970: 1_795_226_400), action: .tryAgain)
        }
        return Notice(
            Ban(
                userId: "1M8S4CTH3C9FX6Z1", banType: .temporary, beginDate: 0, endDate: 1_795_824_000_000,
                message: "Cheating.", contact: "help@game.example", contactUrl: "https://game.example/help"))
    }
}
