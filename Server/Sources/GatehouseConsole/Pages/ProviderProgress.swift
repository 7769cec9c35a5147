import GatehouseCore
import GatehouseHTML
import GatehouseProviders
import GatehouseWire

// How far a provider is set up, and how much it is used.
extension Visit {
    /// A step of setting up a provider, with the part of the page in which it is done.
    private struct Step {
        let name: String
        let part: String
        let isDone: Bool
    }

    /// The steps from the first client id to the first login, ticked off by what is there.
    func progress(_ form: ProviderForm, hasPlayers: Bool) -> HTML {
        let steps = self.steps(form, hasPlayers)
        let next = steps.firstIndex { !$0.isDone }
        return ol(.class("ticks")) {
            for (index, step) in steps.enumerated() {
                li(.class(step.isDone ? "done" : nil), .ariaCurrent(index == next ? "step" : nil)) {
                    span(.class("tick"), .ariaHidden) { step.isDone ? "✓" : String(index + 1) }
                    a(.href("#\(step.part)")) { words("provider.progress.\(step.name)") }
                    small { words(step.isDone ? "provider.progress.done" : "provider.progress.open") }
                }
            }
        }
    }

    private func steps(_ form: ProviderForm, _ hasPlayers: Bool) -> [Step] {
        let view = form.view
        let configuration = view?.configuration
        let hasClient = configuration.map { !$0.clientIds.isEmpty || $0.regions?.isEmpty == false } ?? false
        let secret = Step(name: "secret", part: "here", isDone: view?.missing.isEmpty ?? false)
        let isFine = view.map { $0.isTested && $0.wrongCauses == 0 } ?? false
        return [Step(name: "client", part: "here", isDone: hasClient)]
            + (form.kind.offeredSecrets.contains(where: \.isNeeded) ? [secret] : [])
            + [
                Step(name: "tested", part: "test", isDone: isFine),
                Step(name: "on", part: "main", isDone: configuration?.isEnabled ?? false),
                Step(name: "login", part: "test", isDone: hasPlayers),
            ]
    }

    // MARK: Use

    /// The number of logins with a provider in the last days, and their share of all logins.
    func share(of provider: Provider, in use: ProviderUse) -> Cell {
        let amount = use[provider]
        guard use.logins > 0 else { return Cell(words("provider.use-none")) }
        let values = [
            "percent": Numbers.percent(amount.logins, of: use.logins), "logins": Chart.grouped(amount.logins),
        ]
        return Cell(words("provider.use-share", values), note: amount.isShared ? words("provider.use-shared") : nil)
    }

    /// The number of logins that failed because the provider could not be asked, and their share of those with it.
    func failures(of provider: Provider, in use: ProviderUse) -> Cell {
        let amount = use[provider]
        guard let percent = amount.failurePercent else { return Cell(words("provider.use-none")) }
        guard amount.failures > 0 else { return Cell(words("provider.failures-none"), badge: "good") }
        let values = [
            "percent": Numbers.percent(amount.failures, of: amount.logins &+ amount.failures),
            "logins": Chart.grouped(amount.failures),
        ]
        return Cell(words("provider.failures-share", values), badge: percent < 5 ? "warn" : "bad")
    }
}
