# SPDX-License-Identifier: MIT
ali3_test(command command_line LINK ali3_command)
