import GatehouseCore

extension Console {
    /// Every page behind the sign-in. A new one gets a line here.
    static func addPages(to pages: Pages) {
        addDeeds(to: pages)
        addHome(to: pages)
        addStart(to: pages)
        addMe(to: pages)
        addColumns(to: pages)
        addFactor(to: pages)
        addHelp(to: pages)
        addShortcuts(to: pages)
        addFind(to: pages)
        addMembers(to: pages)
        addBans(to: pages)
        addImports(to: pages)
        addGame(to: pages)
        addRules(to: pages)
        addProviders(to: pages)
        addServerPages(to: pages)
        addOverview(to: pages)
        addAlerts(to: pages)
    }

    /// Every kind of change: the table of actions.
    static let deeds: [DeedKind] =
        OperatorActions.all.map { DeedKind($0) } + appDeeds + providerDeeds + operatorDeeds
}
