import Gamebase

extension TitleScreen {
    private static let menu = [
        "Map Google", "Map Facebook", "Remove Facebook", "Move to a new device", "Leave", "Keep account", "Delete now",
        "Log out", "Quit",
    ]

    func lobby() {
        // If the session has ended in the meantime, the game returns to the title.
        guard TCGBGamebase.userID() != nil else { return chooseProvider() }
        let mappings = (TCGBGamebase.authMappingList() ?? []).joined(separator: ", ")
        view.choose("Lobby (\(mappings))", from: Self.menu) { choice in
            switch choice {
            case "Map Google": self.map(kTCGBAuthGoogle)
            case "Map Facebook": self.map(kTCGBAuthFacebook)
            case "Remove Facebook": self.removeMapping(kTCGBAuthFacebook)
            case "Move to a new device": self.issueTransferAccount()
            case "Leave": self.requestWithdrawal()
            case "Keep account": self.cancelWithdrawal()
            case "Delete now": self.withdraw()
            case "Log out": self.logout()
            default: self.end()
            }
        }
    }

    // MARK: Mapping, with the ways out of a conflict

    private func map(_ type: String) {
        TCGBGamebase.addMapping(type: type, viewController: viewController) { _, error in
            guard let error else {
                self.view.show("Mapped \(type)")
                return self.lobby()
            }
            guard error.code == TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_MAPPED_TO_OTHER_MEMBER,
                let ticket = TCGBForcingMappingTicket.forcingMappingTicket(fromError: error)
            else { return self.failed("Mapping", error) { self.map(type) } }
            self.view.choose(
                "It belongs to \(ticket.mappedUserId).", from: ["Move it here", "Log in there", "Leave it"]
            ) { choice in
                switch choice {
                case "Move it here": self.force(ticket)
                case "Log in there": self.changeLogin(ticket)
                default: self.lobby()
                }
            }
        }
    }

    private func force(_ ticket: TCGBForcingMappingTicket) {
        TCGBGamebase.addMappingForcibly(ticket: ticket, viewController: nil) { _, error in
            if let error { return self.failed("Moving", error) { self.force(ticket) } }
            self.view.show("Moved \(ticket.idPCode) here")
            self.lobby()
        }
    }

    private func changeLogin(_ ticket: TCGBForcingMappingTicket) {
        TCGBGamebase.changeLogin(forcingMappingTicket: ticket, viewController: nil) { token, error in
            // If it fails, the current login is kept.
            guard let token else { return self.failed("Changing the login", error) { self.changeLogin(ticket) } }
            self.didLogIn(token)
        }
    }

    private func removeMapping(_ type: String) {
        TCGBGamebase.removeMapping(type: type, viewController: nil) { error in
            if let error { return self.failed("Removing", error) }
            self.view.show("Removed \(type)")
            self.lobby()
        }
    }

    // MARK: Transfer

    private func issueTransferAccount() {
        TCGBGamebase.issueTransferAccount { info, error in
            guard let info else { return self.failed("Issuing", error) }
            self.view.show("Type in there: \(info.account.accountId) \(info.account.accountPassword ?? "")")
            self.lobby()
        }
    }

    func transferHere() {
        view.ask("Id and password of the other device") { text in
            let words = text.split(separator: " ").map(String.init)
            guard words.count == 2 else { return self.chooseProvider() }
            TCGBGamebase.transferAccountWithIdPLogin(accountId: words[0], accountPassword: words[1]) { token, error in
                if let token { return self.didLogIn(token) }
                if let error, let block = TCGBTransferAccountFailInfo.transferAccountFailInfo(from: error) {
                    let end = Date(timeIntervalSince1970: Double(block.blockEndDate) / 1_000)
                    self.view.show("Too many wrong passwords (\(block.failCount)): wait until \(end)")
                } else {
                    self.view.show("Not moved (\(error?.code ?? 0))")
                }
                self.chooseProvider()
            }
        }
    }

    // MARK: Leaving

    private func requestWithdrawal() {
        TCGBGamebase.requestTemporaryWithdrawal(viewController: nil) { info, error in
            guard info != nil else { return self.failed("Leaving", error) }
            self.view.show("This account will be deleted. It can still be kept.")
            self.lobby()
        }
    }

    func cancelWithdrawal() {
        TCGBGamebase.cancelTemporaryWithdrawal(viewController: nil) { error in
            if let error { return self.failed("Keeping", error) }
            self.view.show("This account is kept.")
            self.lobby()
        }
    }

    private func withdraw() {
        view.choose("Really? It can't be undone.", from: ["Yes", "No"]) { choice in
            guard choice == "Yes" else { return self.lobby() }
            TCGBGamebase.withdraw(viewController: nil) { error in
                if let error { return self.failed("Deleting", error) }
                self.view.show("Deleted")
                self.chooseProvider()
            }
        }
    }

    private func logout() {
        TCGBGamebase.logout(viewController: nil) { error in
            if let error { return self.failed("Logout", error) }
            self.chooseProvider()
        }
    }

    /// - Parameter again: repeats the call after 101 and 110, as the guides say. The server may have done it although its response was
    ///   lost.
    private func failed(_ what: String, _ error: TCGBError?, again: (() -> Void)? = nil) {
        view.show("\(what) failed: \(error?.message ?? "") (\(error?.code ?? 0))")
        guard let again, let error, [TCGB_ERROR_SOCKET_ERROR, TCGB_ERROR_SOCKET_RESPONSE_TIMEOUT].contains(error.code)
        else { return lobby() }
        retryOrQuit(again)
    }
}
